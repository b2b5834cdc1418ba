package view

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"tsunaro.io/gateway/renderer/api"
)

// tree is everything that is known, grouped.
func (g Gateway) tree(l Look) []line {
	lines := []line{
		{text: []string{l.Paint.Bold("minter") + "     " + g.Minter.text(l)}},
		{text: []string{l.Paint.Bold("tailnet") + "    " + g.tailnetText(l)}},
		{text: []string{l.Paint.Bold("identity") + "   " + g.Identity.text()}, below: g.Identity.branches(l)},
		{text: []string{l.Paint.Bold("pod") + "        " + g.podText(l)}},
		{text: []string{l.Paint.Bold("routes") + "     " + g.routesText()}, below: g.routeBranches(l)},
		{text: []string{l.Paint.Bold("dns") + "        " + g.DNS.text()}, below: g.DNS.branches(l, g.Identity.Completed)},
		{text: []string{l.Paint.Bold("resources") + "  " + g.resourcesText()}, below: g.resourceBranches(l)},
		{text: []string{l.Paint.Bold("conditions")}, below: g.conditionBranches(l)},
	}
	return lines
}

// columns aligns rows; the cells of a row are separated by tabs.
func columns(rows []string) []string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	_ = w.Flush() // into memory
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// branches are rows in columns, one branch each.
func branches(rows []string) []line {
	if len(rows) == 0 {
		return nil
	}
	lines := make([]line, len(rows))
	for i, r := range columns(rows) {
		lines[i] = line{text: []string{r}}
	}
	return lines
}

func (m Minter) text(l Look) string {
	text := map[Known]string{Yes: "running", No: l.Paint.Red("not running"), Maybe: "not known whether one is running"}[m.Running]
	switch {
	case m.Seen <= 0:
		return text + ", has not seen the gateway"
	case m.Seen != m.Generation:
		return text + fmt.Sprintf(", has seen generation %d of %d", m.Seen, m.Generation)
	}
	return text + fmt.Sprintf(", has seen the present generation %d", m.Generation)
}

func (g Gateway) tailnetText(l Look) string {
	if g.TailnetIs == nil {
		return g.Tailnet + "  " + l.Paint.Yellow("not read")
	}
	text := g.Tailnet + "  " + l.health(g.TailnetIs.Health)
	if g.TailnetIs.Health != string(api.Healthy) {
		text += "  " + g.TailnetIs.Message
	}
	return text
}

func (i Identity) text() string {
	if i.NodeID == "" {
		return "no node yet, to be " + i.Hostname
	}
	return fmt.Sprintf("node %s, %s, %s", i.NodeID, i.Hostname, i.IPv4)
}

func (i Identity) branches(l Look) []line {
	rows := []string{
		l.blank() + " tags\t" + strings.Join(i.Tags, ", "),
		l.known(i.StateExists) + " state\tSecret " + i.StateSecret + mark(i.StateExists),
		l.known(i.Completed) + " receipt\t" + map[Known]string{Yes: "complete", No: "not complete", Maybe: "could not be read"}[i.Completed] + phase(i.Phase),
	}
	if i.Completed == No { // nothing is wrong with that
		rows[2] = l.blank() + rows[2][len(l.wrong()):]
	}
	if len(i.StaleNodeIDs) > 0 {
		rows = append(rows, l.look()+" older nodes\t"+strings.Join(i.StaleNodeIDs, ", ")+" of the same name in Headscale")
	}
	return branches(rows)
}

func mark(k Known) string {
	return map[Known]string{Yes: "", No: " does not exist", Maybe: " could not be read"}[k]
}

func phase(text string) string {
	if text == "" {
		return ""
	}
	return ", registry: " + text
}

func (g Gateway) podText(l Look) string {
	p := g.Pod
	if p == nil {
		return map[Known]string{No: "none", Maybe: l.Paint.Yellow("not read")}[g.PodExists]
	}
	text := p.Name + "  " + l.Paint.Red("not ready")
	if p.Ready {
		text = p.Name + "  " + l.Paint.Green("ready")
	}
	if p.Node != "" {
		text += "  on " + p.Node
	}
	text += "  " + l.age(p.Started)
	if p.Restarts > 0 {
		text += fmt.Sprintf("  %d restarts", p.Restarts)
	}
	if p.Waiting != "" {
		text += "  waits: " + p.Waiting
	}
	return text
}
