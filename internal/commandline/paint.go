package commandline

import "github.com/spf13/cobra"

// Paint colours words for a terminal; the zero Paint leaves them as they are. Every
// style adds the same number of bytes, so that a column of a text/tabwriter stays
// one if all of its cells are painted.
type Paint bool

func (p Paint) in(code, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The styles: what is wrong, what is right, what needs a look, what leads the eye
// and what may be passed over.
func (p Paint) Red(text string) string    { return p.in("31;1", text) }
func (p Paint) Green(text string) string  { return p.in("32;1", text) }
func (p Paint) Yellow(text string) string { return p.in("33;1", text) }
func (p Paint) Bold(text string) string   { return p.in("39;1", text) }
func (p Paint) Dim(text string) string    { return p.in("39;2", text) }

// The values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// Color adds --color to a program.
func Color(root *cobra.Command) {
	choose(root, root.PersistentFlags(), new(string), "color", "", "colours in the output: ", []string{colorAuto, colorAlways, colorNever})
}

// Paint is how a command of a program with Color writes to standard output: without
// --color coloured on a terminal, unless the user's environment asks for none.
func (s Streams) Paint(cmd *cobra.Command) Paint {
	switch cmd.Flag("color").Value.String() {
	case colorAlways:
		return true
	case colorNever:
		return false
	}
	return Paint(s.OutTerminal && !s.Plain)
}
