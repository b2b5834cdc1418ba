package commandline

import (
	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/terminal"
)

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
func (s Streams) Paint(cmd *cobra.Command) terminal.Paint {
	switch cmd.Flag("color").Value.String() {
	case colorAlways:
		return true
	case colorNever:
		return false
	}
	return terminal.Paint(s.OutTerminal && !s.Plain)
}
