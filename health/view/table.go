package view

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"tsunaro.io/gateway/internal/terminal"
	"tsunaro.io/gateway/renderer/api"
)

// Table is one row a gateway, and below it why those are not well that are not.
func Table(list []Gateway, l Look) string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\t"+l.Paint.None("HEALTH")+"\tREASON\tNODE\tROUTES\tSERIAL\tNAMES\tDRIFT\tTAILNET\tAGE")
	for _, g := range list {
		fmt.Fprintln(w, strings.Join([]string{
			g.Name, l.health(g.Health), or(g.Reason), or(g.Identity.IPv4), g.approvedOf(), number(int(g.DNS.Serial), 0), number(g.DNS.Names, -1),
			g.driftText(), g.Tailnet, l.age(g.Created),
		}, "\t"))
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
