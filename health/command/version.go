package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/policies"
)

func newVersion(s commandline.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the API and the number of rules",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := policies.Rules()
			if err != nil {
				return err
			}
			v := struct {
				commandline.Version
				Rules int `json:"rules"`
			}{commandline.ThisVersion(), len(all)}
			if output == "json" {
				return commandline.PrintJSON(s.Out, v)
			}
			_, err = fmt.Fprintf(s.Out, "%s %s, %d rules\n", name, v.Version, v.Rules)
			return err
		},
	}
	commandline.Output(cmd, &output, "text", "json")
	return cmd
}
