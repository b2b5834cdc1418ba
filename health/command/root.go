package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/renderer/rules"
)

// Exit codes.
const (
	ExitOK      = 0
	ExitRefused = 1 // a check failed, or a build could not be read
	ExitUsage   = 2 // the command line is wrong
)

// Streams are the standard streams. Color tells that standard output may be
// coloured.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Color    bool
}

// errFailed ends the program with ExitRefused after everything has been said.
var errFailed = errors.New("failed")

// name is how the program calls itself in messages, and display how users call
// it: kubectl runs what is called kubectl-tsunaro on PATH as its own command.
const (
	name    = "kubectl-tsunaro"
	display = "kubectl tsunaro"
)

// Run runs the command line and returns its exit code.
func Run(args []string, s Streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err := root.Execute()
	var refusal rules.Refusal
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, errFailed):
		return ExitRefused
	case errors.As(err, &refusal):
		fmt.Fprintln(s.Err, name+": cannot read the build:")
		for _, f := range refusal {
			fmt.Fprintln(s.Err, "  "+f.String())
		}
		return ExitRefused
	}
	fmt.Fprintln(s.Err, name+":", err)
	return ExitUsage
}

func newRoot(s Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   name,
		Short: "Look at gateways: check builds before they are merged",
		Long: `Look at gateways, and change nothing.

With kubectl-tsunaro on PATH, kubectl knows it as kubectl tsunaro; it works the
same under its own name, without kubectl. Exit codes: 0 all is well, 1 a check
failed or a build cannot be read, 2 wrong command line.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: display},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newCheck(s), newRules(s), newVersion(s))
	return root
}

// outputFlag adds --output with the given values, the first as default.
func outputFlag(cmd *cobra.Command, output *string, values ...string) {
	cmd.Flags().StringVarP(output, "output", "o", values[0], strings.Join(values, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// oneOf is the error of an --output that is none of the values.
func oneOf(output string, values ...string) error {
	if slices.Contains(values, output) {
		return nil
	}
	return fmt.Errorf("--output %s: must be %s", output, strings.Join(values, ", "))
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
