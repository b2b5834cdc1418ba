package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tsunaro.io/gateway/internal/commandline"
)

// name is how the program calls itself in messages, and display how users call
// it: kubectl runs what is called kubectl-tsunaro on PATH as its own command.
const (
	name    = "kubectl-tsunaro"
	display = "kubectl tsunaro"
)

// Run runs the command line and returns its exit code: commandline.ExitOK, ExitNo
// where the answer is no, ExitError where there is none. The context ends what takes
// long, and now is the time that ages are counted from.
func Run(ctx context.Context, args []string, s commandline.Streams, now func() time.Time) int {
	p := commandline.Program{Name: name, Refused: "refused"}
	root := newRoot(s, now)
	root.SetContext(ctx)
	return p.Run(root, args, s)
}

func newRoot(s commandline.Streams, now func() time.Time) *cobra.Command {
	root := &cobra.Command{
		Use:   name,
		Short: "Look at gateways: in a cluster, and in builds before they are merged",
		Long: `Look at gateways, and change nothing: how they are, why, and what to do next; how
their resources differ from the render; what their DNS answers; and whether a build
is fit to be merged.

With kubectl-tsunaro on PATH, kubectl knows it as kubectl tsunaro; it works the
same under its own name, without kubectl. Exit codes: 0 all is well, 1 the answer is
no (a check failed, something differs), 2 there is no answer (a wrong command line, a
cluster that cannot be read).`,
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: display},
	}
	commandline.Color(root)
	c := connect(root)
	root.AddGroup(&cobra.Group{ID: "cluster", Title: "In a cluster:"}, &cobra.Group{ID: "builds", Title: "Builds:"})
	for group, commands := range map[string][]*cobra.Command{
		"cluster": {newStatus(s, c, now), newDiff(s, c, now), newDNS(s, c, now), newExplain(s)},
		"builds":  {newCheck(s), newRules(s)},
		"":        {newVersion(s)},
	} {
		for _, command := range commands {
			command.GroupID = group
			root.AddCommand(command)
		}
	}
	return root
}

// hide leaves flags out of help, but for some.
func hide(flags *pflag.FlagSet, visible map[string]bool) {
	flags.VisitAll(func(f *pflag.Flag) { f.Hidden = !visible[f.Name] })
}
