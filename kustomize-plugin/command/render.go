package command

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/function"
	"tsunaro.io/gateway/kustomize-plugin/source"
	"tsunaro.io/gateway/kustomize-plugin/yamlout"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

const inputHelp = `INPUT is a file, a directory (its YAML and JSON files, not below it, without
kustomization files) or - for standard input.`

func newRender(s commandline.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "render INPUT...",
		Short: "Print the nine resources of every active gateway",
		Long:  "Print the nine resources of every active gateway.\n\n" + inputHelp,
		Example: `  tsunaro-fn render ./home-lab > rendered/home-lab.yaml
  tsunaro-fn render tailnet.yaml gateway.yaml | kubectl apply --server-side -f -
  kustomize build ./home-lab | tsunaro-fn render -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			out, err := renderArgs(s, args)
			if err != nil {
				return err
			}
			var text []byte
			switch output {
			case "yaml":
				text, err = yamlout.Stream(out.Objects())
			case "json":
				text = jsonList(out)
			}
			if err != nil {
				return err
			}
			function.Log(s.Err, out)
			_, err = s.Out.Write(text)
			return err
		},
	}
	commandline.Output(cmd, &output, "yaml", "json")
	return cmd
}

// jsonList is a v1 List, which kubectl applies.
func jsonList(out renderer.Output) []byte {
	items := make([]string, 0, len(out.Objects()))
	for _, o := range out.Objects() {
		items = append(items, string(o.JSON))
	}
	return []byte(`{"apiVersion":"v1","kind":"List","items":[` + strings.Join(items, ",\n") + "]}\n")
}

func renderArgs(s commandline.Streams, args []string) (renderer.Output, error) {
	docs, err := readArgs(s.In, args)
	if err != nil {
		return renderer.Output{}, err
	}
	return renderer.Render(docs)
}

func readArgs(stdin io.Reader, args []string) ([]document.Document, error) {
	var (
		docs     []document.Document
		findings []rules.Finding
	)
	for _, arg := range args {
		d, f := source.ReadArg(stdin, arg)
		docs, findings = append(docs, d...), append(findings, f...)
	}
	if len(findings) > 0 {
		return nil, rules.Refusal(rules.Sort(findings))
	}
	return docs, nil
}
