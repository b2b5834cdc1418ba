package view

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"tsunaro.io/gateway/internal/terminal"
	"tsunaro.io/gateway/renderer/api"
)

// column is a column of the list of gateways.
type column struct {
	title string
	cell  func(Gateway, Look) string
	keep  int // on a narrow terminal the columns with the lowest go first; 0 never does
}

var listed = []column{
	{"NAME", func(g Gateway, _ Look) string { return g.Name }, 0},
	{"HEALTH", func(g Gateway, _ Look) string { return g.Health }, 0},
	{"REASON", func(g Gateway, _ Look) string { return or(g.Reason) }, 0},
	{"NODE", func(g Gateway, _ Look) string { return or(g.Identity.IPv4) }, 6},
	{"ROUTES", func(g Gateway, _ Look) string { return g.approvedOf() }, 5},
	{"SERIAL", func(g Gateway, _ Look) string { return number(int(g.DNS.Serial), 0) }, 2},
	{"NAMES", func(g Gateway, _ Look) string { return number(g.DNS.Names, -1) }, 1},
	{"DRIFT", func(g Gateway, _ Look) string { return g.driftText() }, 7},
	{"TAILNET", func(g Gateway, _ Look) string { return g.Tailnet }, 4},
	{"AGE", func(g Gateway, l Look) string { return l.age(g.Created) }, 3},
}

// gap is what is between two columns.
const gap = 3

// fitting are the columns that a terminal has room for; all, where there is none.
func fitting(list []Gateway, l Look) []column {
	columns := slices.Clone(listed)
	width := func() (sum int) {
		for _, c := range columns {
			widest := len(c.title)
			for _, g := range list {
				widest = max(widest, utf8.RuneCountInString(c.cell(g, l)))
			}
			sum += widest + gap
		}
		return sum - gap
	}
	for first := 1; l.Width > 0 && width() > l.Width && first < len(listed); first++ {
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.keep == first })
	}
	return columns
}

// Table is one row a gateway, and below it why those are not well that are not.
func Table(list []Gateway, l Look) string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, gap, ' ', 0)
	columns := fitting(list, l)
	row := func(cell func(column) string) {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = cell(c)
			if c.title == "HEALTH" { // a column is painted, or it is not
				cells[i] = l.health(cells[i])
			}
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	row(func(c column) string { return c.title })
	for _, g := range list {
		row(func(c column) string { return c.cell(g, l) })
	}
	_ = w.Flush() // into memory
	for _, g := range list {
		if g.Fine() || g.Health == string(api.Suspended) && len(g.Findings) == 0 {
			continue
		}
		message := g.Message
		if g.Health == string(api.Healthy) {
			message = "" // it is about what is well
		}
		b.WriteString("\n" + l.Paint.Bold(g.Name) + strings.TrimRight(": "+terminal.Wrap(message, l.Width-len(g.Name)-2, "  "), " ") + "\n")
		for _, f := range g.Findings {
			b.WriteString("  " + l.Paint.Yellow("!") + " " + terminal.Wrap(f, l.Width-4, "    ") + "\n")
		}
		b.WriteString("  kubectl tsunaro status " + g.Name + "\n")
	}
	return b.String()
}

func or(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func number(n, none int) string {
	if n == none {
		return "-"
	}
	return fmt.Sprint(n)
}

// approvedOf is how many of the advertised routes are approved.
func (g Gateway) approvedOf() string {
	advertised, approved := 0, 0
	for _, r := range g.Routes {
		if r.Advertised == Yes {
			advertised++
			if r.Approved == Yes {
				approved++
			}
		}
	}
	if advertised == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", approved, advertised)
}

// driftText is what InSync says: of a list nothing else was read.
func (g Gateway) driftText() string {
	for _, c := range g.Conditions {
		if c.Type == api.ConditionInSync {
			return map[string]string{"True": "no", "False": c.Reason}[c.Status] + map[string]string{"Unknown": "?"}[c.Status]
		}
	}
	return "?"
}
