package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/renderer/api"
)

type version struct {
	commandline.Version
	RenderFormats []int `json:"renderFormats"`
}

func newVersion(s commandline.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the API and the render formats this program knows",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := version{commandline.ThisVersion(), []int{api.RenderFormat}}
			if output == "json" {
				return commandline.PrintJSON(s.Out, v)
			}
			_, err := fmt.Fprintf(s.Out, "tsunaro-fn %s, render formats %s\n", v.Version, strings.Trim(fmt.Sprint(v.RenderFormats), "[]"))
			return err
		},
	}
	commandline.Output(cmd, &output, "text", "json")
	return cmd
}
