package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/source"
	"tsunaro.io/gateway/policies"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

func newCheck(s commandline.Streams) *cobra.Command {
	var (
		output     string
		old, named []string
		printInput bool
	)
	cmd := &cobra.Command{
		Use:   "check BUILD...",
		Short: "Check finished builds, alone or against those that they replace",
		Long: `Check finished builds, alone or against those that they replace. It needs no
cluster and no render: each gateway must be its nine objects as the requirements
say, whatever layers came after the function, and with --old nothing may change
that a running gateway cannot follow.

BUILD is what ` + "`kustomize build`" + ` printed: a file, a directory of files, or - for
standard input. Several are one build: those of a gateway's CRs and of its nine.`,
		Example: `  kustomize build --enable-alpha-plugins --enable-exec ./home-lab | kubectl tsunaro check -
  kubectl tsunaro check build.yaml --old main.yaml
  kubectl tsunaro check crs.yaml nine.yaml --output junit > check.xml
  kubectl tsunaro check build.yaml --rule rendered/retention --rule transformed
  kubectl tsunaro check build.yaml --print-input | opa eval --bundle policies --stdin-input \
    --fail-defined --format pretty 'data.tsunaro.rendered[_].deny[_].msg'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := input(s, args, old)
			if err != nil {
				return err
			}
			if printInput {
				return commandline.PrintJSON(s.Out, in)
			}
			selected, err := selectRules(named)
			if err != nil {
				return err
			}
			if len(old) == 0 {
				selected = slices.DeleteFunc(selected, func(r policies.Rule) bool { return r.Package() == policies.Change })
			}
			if len(selected) == 0 {
				return fmt.Errorf("rules of %s need --old", policies.Change)
			}
			r, err := check(cmd.Context(), s, in, selected)
			if err != nil {
				return err
			}
			if err := r.write(s.Out, s.Paint(cmd), output); err != nil {
				return err
			}
			if len(r.Findings) > 0 {
				return commandline.ErrNo
			}
			return nil
		},
	}
	commandline.Output(cmd, &output, "text", "json", "junit")
	cmd.Flags().StringArrayVar(&old, "old", nil, "the build that this one replaces; may be repeated")
	cmd.Flags().StringArrayVar(&named, "rule", nil, "run only this rule, or the rules of this package; may be repeated")
	cmd.Flags().BoolVar(&printInput, "print-input", false, "print what the rules would look at, as JSON, and check nothing")
	_ = cmd.RegisterFlagCompletionFunc("rule", completeRules)
	return cmd
}

// input reads the builds.
func input(s commandline.Streams, builds, old []string) (in policies.Input, err error) {
	if in.New, err = read(s, builds); err == nil {
		in.Old, err = read(s, old)
	}
	return in, err
}

// check runs the selected rules.
func check(ctx context.Context, s commandline.Streams, in policies.Input, selected []policies.Rule) (report, error) {
	var packages []policies.Package
	ids := map[string]bool{}
	for _, r := range selected {
		ids[r.ID] = true
		if !slices.Contains(packages, r.Package()) {
			packages = append(packages, r.Package())
		}
	}
	findings, err := policies.Eval(ctx, packages, in)
	if err != nil { // a rule that gives no verdict is no pass
		fmt.Fprintln(s.Err, name+":", err)
		return report{}, commandline.ErrNo
	}
	findings = slices.DeleteFunc(findings, func(f policies.Finding) bool { return !ids[f.ID] })
	return newReport(in, selected, findings), nil
}

// read returns the objects of builds; what is no object is refused.
func read(s commandline.Streams, builds []string) ([]any, error) {
	objects := []any{} // an empty build is one that rules refuse
	var findings []rules.Finding
	for _, name := range builds {
		docs, f := source.ReadArg(s.In, name)
		findings = append(findings, f...)
		for _, d := range docs {
			tree, err := tree(d)
			if err != nil {
				return nil, err
			}
			objects = append(objects, tree)
		}
	}
	if len(findings) > 0 {
		return nil, rules.Refusal(rules.Sort(findings))
	}
	return objects, nil
}

func tree(d document.Document) (any, error) {
	v, err := d.Tree()
	if err != nil {
		return nil, rules.Refusal{{Rule: rules.Syntax, Object: d.Object(), Source: d.Source}}
	}
	return v, nil
}
