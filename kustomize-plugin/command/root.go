package command

import (
	"errors"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/function"
	"tsunaro.io/gateway/kustomize-plugin/source"
)

// Run runs the command line and returns its exit code: commandline.ExitOK, ExitNo
// where the input was refused or a check failed, ExitError where the command line is
// wrong.
func Run(args []string, s commandline.Streams) int {
	p := commandline.Program{Name: "tsunaro-fn", Refused: "refused, nothing was rendered"}
	return p.Run(newRoot(s), args, s)
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

func newRoot(s commandline.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "tsunaro-fn",
		Short: "Render TailnetGateways (a KRM function and a plain command)",
		Long:  longHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.InTerminal { // nobody is left waiting for a ResourceList they do not know of
				return cmd.Help()
			}
			err := function.Run(s.In, s.Out, s.Err, func() (source.Files, error) { return source.Below(".") })
			if errors.Is(err, function.ErrNotAResourceList) {
				return commandline.Exit{Code: commandline.ExitNo, Err: err}
			}
			return err
		},
	}
	root.AddCommand(newRender(s), newExplain(s), newCheckRender(s), newVersion(s))
	return root
}
