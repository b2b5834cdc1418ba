package view

import (
	"fmt"
	"strings"
	"time"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/internal/terminal"
	"tsunaro.io/gateway/renderer/api"
)

// Look is how texts are written: with colours or without, for a terminal of a width
// (0: lines are never broken), at a time that ages are counted from.
type Look struct {
	Paint terminal.Paint
	Width int
	Now   time.Time
}

// Text is what a person needs first, and then everything else: the verdict, why, the
// next step to copy, and the tree.
func (g Gateway) Text(l Look) string {
	var b strings.Builder
	b.WriteString(l.Paint.Bold(g.Name) + "  " + l.health(g.Health))
	if g.Minter.Running == No {
		b.WriteString(" when last seen")
	}
	if g.Reason != "" {
		b.WriteString("  " + g.Reason)
	}
	b.WriteString("\n")
	for _, sentence := range l.sentences(g.Message) {
		b.WriteString(sentence + "\n")
	}
	for _, f := range g.Findings {
		b.WriteString(l.Paint.Yellow("!") + " " + terminal.Wrap(f, l.Width-2, "  ") + "\n")
	}
	for i, s := range g.Next {
		title := "Next: "
		if i > 0 {
			title = "Also: "
		}
		b.WriteString("\n" + l.Paint.Bold(strings.TrimSpace(title)) + " " + terminal.Wrap(s.Text, l.Width-len(title), "") + "\n")
		for _, c := range s.Commands { // never broken: it is to be copied
			b.WriteString("  " + c + "\n")
		}
	}
	b.WriteString("\n" + api.KindTailnetGateway + "/" + g.Name + "\n")
	draw(&b, "", g.tree(l))
	return b.String()
}

// sentences are the lines of a message.
func (l Look) sentences(message string) []string {
	return strings.Split(terminal.Wrap(message, l.Width, ""), "\n")
}

// health paints a verdict; any other word it leaves as it is.
func (l Look) health(verdict string) string {
	switch api.Health(verdict) {
	case api.Healthy:
		return l.Paint.Green(verdict)
	case api.Degraded:
		return l.Paint.Red(verdict)
	case api.Suspended:
		return l.Paint.Dim(verdict)
	case api.Progressing, health.Missing:
		return l.Paint.Yellow(verdict)
	}
	return l.Paint.None(verdict)
}

// age is how long ago something was, in the units that kubectl has.
func (l Look) age(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d := max(l.Now.Sub(t), 0)
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// Marks.
func (l Look) ok() string    { return l.Paint.Green("✓") }
func (l Look) wrong() string { return l.Paint.Red("✗") }
func (l Look) look() string  { return l.Paint.Yellow("!") }
func (l Look) blank() string { return l.Paint.Dim("·") }
func (l Look) query() string { return l.Paint.Yellow("?") }

func (l Look) known(k Known) string {
	switch k {
	case Yes:
		return l.ok()
	case No:
		return l.wrong()
	}
	return l.query()
}
