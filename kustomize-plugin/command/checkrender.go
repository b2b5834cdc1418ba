package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/compare"
	"tsunaro.io/gateway/kustomize-plugin/source"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

func newCheckRender(s commandline.Streams) *cobra.Command {
	var output, build string
	cmd := &cobra.Command{
		Use:   "check-render --build BUILD [INPUT...]",
		Short: "Check a finished build against a fresh render of its input",
		Long: `Check a finished build against a fresh render of its input. It tells a suspended
gateway from a function that never ran (kustomize drops functions without
--enable-exec, and says nothing), and names whatever another transformer changed.
Labels and annotations of your own on the objects themselves are fine.

BUILD is the output of the build, a file or - for standard input.
` + inputHelp + `
Without INPUT a build that holds its own CRs (emit: All) is checked against them.
Name the directory as well where the build may be empty: only then can it be told
that nothing came out, and the kustomization file itself is looked at.`,
		Example: `  kustomize build --enable-alpha-plugins --enable-exec ./home-lab |
    tsunaro-fn check-render --build - ./home-lab
  kustomize build --enable-alpha-plugins --enable-exec ./patched | tsunaro-fn check-render --build -
  tsunaro-fn check-render --build rendered/home-lab.yaml ./home-lab -o json`,
		RunE: func(_ *cobra.Command, args []string) error {
			results, err := check(s.In, build, args)
			if err != nil {
				return err
			}
			if output == "json" {
				err = commandline.PrintJSON(s.Out, results)
			} else {
				printResults(s.Out, results)
			}
			if err != nil {
				return err
			}
			for _, r := range results {
				if !r.OK() {
					return commandline.ErrNo
				}
			}
			return nil
		},
	}
	commandline.Output(cmd, &output, "text", "json")
	cmd.Flags().StringVarP(&build, "build", "b", "", "the finished build: a file, or - for standard input")
	_ = cmd.MarkFlagRequired("build")
	return cmd
}

func check(stdin io.Reader, build string, args []string) ([]compare.Result, error) {
	built, findings := source.ReadArg(stdin, build)
	if len(findings) > 0 {
		return nil, rules.Refusal(rules.Sort(findings))
	}
	docs, err := readArgs(stdin, args)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		docs = built
	}
	fresh, err := renderer.Render(docs)
	if err != nil {
		return nil, err
	}
	results, err := compare.Build(fresh, docs, built)
	if err != nil {
		return nil, err
	}
	layers, err := checkLayers(args, fresh, docs)
	return append(results, layers...), err
}

// checkLayers checks the kustomization file of every input that is a directory.
func checkLayers(args []string, fresh renderer.Output, docs []document.Document) ([]compare.Result, error) {
	var results []compare.Result
	for _, arg := range args {
		for _, file := range source.Kustomizations {
			name := filepath.Join(arg, file)
			data, err := os.ReadFile(name)
			if err != nil {
				continue // not a directory, or without such a file
			}
			r, err := compare.Layer(name, data, fresh, docs)
			if err != nil {
				return nil, rules.Refusal{{Rule: rules.Syntax, Source: name}}
			}
			results = append(results, r...)
		}
	}
	return results, nil
}

// sentences say what a verdict means and what to do about it.
var sentences = map[compare.Verdict]string{
	compare.AsRendered: "all nine resources are in the build, as rendered",
	compare.Suspended:  "suspended, so the build rightly holds nothing of it",
	compare.NotRun:     "nothing of it is in the build: the function did not run (build with --enable-alpha-plugins --enable-exec, and check the path in config.kubernetes.io/function)",
	compare.Missing:    "is not in the build: another transformer removed, renamed or moved it",
	compare.Changed:    "was changed by another transformer: apply that transformer elsewhere, or set the field in the TailnetGateway",
	compare.Unexpected: "carries a gateway's label and was not rendered from this input: renamed or moved by another transformer, left over from an earlier rendering, or its gateway is suspended",
	compare.Renamed:    "is the hosts source under a name that the minter does not look for: leave the name alone (generatorOptions.disableNameSuffixHash: true)",
	compare.Twice:      "is in the build twice: keep one of them",
	compare.Unread:     "is in the build and not in the input, so nothing was rendered from it: move it beside the function's other inputs, or name its directory as INPUT as well",
	compare.NoEffect:   "has no effect on the nine: write it into the TailnetGateway (images into spec.images)",
}

func printResults(out io.Writer, results []compare.Result) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range results {
		mark := "FAIL"
		if r.OK() {
			mark = "ok"
		}
		where := r.Object
		if r.Path != "" {
			where += ": " + r.Path
		}
		detail := ""
		switch {
		case r.Verdict == compare.NoEffect && r.Want != "":
			detail = " (" + r.Want + " is wanted, " + r.Have + " is rendered)"
		case r.Want != "" && r.Have != "":
			detail = " (rendered " + r.Want + ", found " + r.Have + ")"
		case r.Want != "":
			detail = " (rendered " + r.Want + ", found nothing)"
		case r.Have != "":
			detail = " (added: " + r.Have + ")"
		}
		fmt.Fprintf(w, "%s\t%s: %s%s\n", mark, where, sentences[r.Verdict], detail)
	}
	w.Flush()
}
