package command

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/policies"
	"tsunaro.io/gateway/renderer/api"
)

func newVersion(s Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the API and the number of rules",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := oneOf(output, "text", "json"); err != nil {
				return err
			}
			all, err := policies.Rules()
			if err != nil {
				return err
			}
			v := struct {
				Version  string `json:"version"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
				API      string `json:"api"`
				Rules    int    `json:"rules"`
			}{"(devel)", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, api.APIVersion, len(all)}
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				v.Version = info.Main.Version
			}
			if output == "json" {
				return printJSON(s.Out, v)
			}
			_, err = fmt.Fprintf(s.Out, "%s %s (%s, %s), API %s, %d rules\n", name, v.Version, v.Go, v.Platform, v.API, v.Rules)
			return err
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}
