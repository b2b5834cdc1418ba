package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/renderer/api"
)

type version struct {
	Version       string `json:"version"`
	Go            string `json:"go"`
	Platform      string `json:"platform"`
	API           string `json:"api"`
	RenderFormats []int  `json:"renderFormats"`
}

func newVersion(s Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the API and the render formats this program knows",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := version{"(devel)", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, api.APIVersion, []int{api.RenderFormat}}
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				v.Version = info.Main.Version
			}
			switch output {
			case "text":
				fmt.Fprintf(s.Out, "tsunaro-fn %s (%s, %s), API %s, render formats %s\n",
					v.Version, v.Go, v.Platform, v.API, strings.Trim(fmt.Sprint(v.RenderFormats), "[]"))
				return nil
			case "json":
				return printJSON(s.Out, v)
			}
			return wrongOutput(output, "text", "json")
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}
