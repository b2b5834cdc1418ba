package command

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/kustomize-plugin/function"
	"tsunaro.io/gateway/kustomize-plugin/source"
	"tsunaro.io/gateway/renderer/rules"
)

// Exit codes.
const (
	ExitOK      = 0
	ExitRefused = 1 // the input was refused, or a check failed
	ExitUsage   = 2 // the command line is wrong
)

// Streams are the standard streams. Terminal tells that standard input is one,
// so that nobody is left waiting for a ResourceList they do not know of.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool
}

// errFailed ends the program with ExitRefused after everything has been said.
var errFailed = errors.New("failed")

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
		fmt.Fprintln(s.Err, "tsunaro-fn: refused, nothing was rendered:")
		for _, f := range refusal {
			fmt.Fprintln(s.Err, "  "+f.String())
		}
		return ExitRefused
	case errors.Is(err, function.ErrNotAResourceList):
		fmt.Fprintln(s.Err, "tsunaro-fn:", err)
		return ExitRefused
	}
	fmt.Fprintln(s.Err, "tsunaro-fn:", err)
	return ExitUsage
}

const longHelp = `tsunaro-fn renders TailnetGateways into the Kubernetes resources they consist of.

Without a subcommand it is a KRM function: kustomize and kpt send a ResourceList
on standard input. In a kustomization.yaml, with the program on PATH:

  resources:
  - tailnet.yaml
  - gateway.yaml
  transformers:
  - |-
    apiVersion: render.tsunaro.io/v1alpha1
    kind: GatewayRender
    metadata:
      name: render
      annotations:
        config.kubernetes.io/function: |
          exec: {path: tsunaro-fn}
    spec:
      emit: All            # Resources: leave out the CRs and hosts that were read
      inputs: []           # files to read besides the resources; needed for a generator

and then:

  kustomize build --enable-alpha-plugins --enable-exec .

Without --enable-exec kustomize drops the function without a word: check-render
tells. Exit codes: 0 done, 1 input refused or check failed, 2 wrong command line.`

func newRoot(s Streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "tsunaro-fn",
		Short:         "Render TailnetGateways (a KRM function and a plain command)",
		Long:          longHelp,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.Terminal {
				return cmd.Help()
			}
			return function.Run(s.In, s.Out, s.Err, func() (source.Files, error) { return source.Below(".") })
		},
	}
	root.AddCommand(newRender(s), newExplain(s), newCheckRender(s), newVersion(s))
	return root
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
