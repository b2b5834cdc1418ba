package command

import (
	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
)

// name is how the program calls itself in messages, and display how users call
// it: kubectl runs what is called kubectl-tsunaro on PATH as its own command.
const (
	name    = "kubectl-tsunaro"
	display = "kubectl tsunaro"
)

// Run runs the command line and returns its exit code: commandline.ExitOK, ExitNo
// where the answer is no, ExitError where there is none.
func Run(args []string, s commandline.Streams) int {
	p := commandline.Program{Name: name, Refused: "cannot read the build"}
	return p.Run(newRoot(s), args, s)
}

func newRoot(s commandline.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   name,
		Short: "Look at gateways: check builds before they are merged",
		Long: `Look at gateways, and change nothing.

With kubectl-tsunaro on PATH, kubectl knows it as kubectl tsunaro; it works the
same under its own name, without kubectl. Exit codes: 0 all is well, 1 a check
failed or a build cannot be read, 2 wrong command line.`,
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: display},
	}
	commandline.Color(root)
	root.AddCommand(newCheck(s), newRules(s), newVersion(s))
	return root
}
