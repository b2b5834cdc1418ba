package command

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/internal/terminal"
	"tsunaro.io/gateway/policies"
)

func newRules(s commandline.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "rules [RULE...]",
		Short: "List the rules of check, or explain some of them",
		Example: `  kubectl tsunaro rules
  kubectl tsunaro rules rendered/retention
  kubectl tsunaro rules -o json | jq -r '.[].id'`,
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			selected, err := selectRules(args)
			if err != nil {
				return err
			}
			if output == "json" {
				return commandline.PrintJSON(s.Out, selected)
			}
			if len(args) == 0 {
				w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
				for _, r := range selected {
					fmt.Fprintf(w, "%s\t%s\n", r.ID, r.Title)
				}
				return w.Flush()
			}
			paint := s.Paint(cmd)
			for i, r := range selected {
				if i > 0 {
					fmt.Fprintln(s.Out)
				}
				fmt.Fprintf(s.Out, "%s: %s\n\n%s\n\nWhat to do: %s.\nRequirements: %s\n",
					paint.Bold(r.ID), r.Title, terminal.Wrap(r.Description, 78, ""), r.Remedy, strings.Join(r.Requirements, ", "))
			}
			return nil
		},
	}
	commandline.Output(cmd, &output, "text", "json")
	return cmd
}

// checked are the packages that check runs; the rules of others are not listed.
var checked = []policies.Package{policies.Rendered, policies.Transformed, policies.Change}

// selectRules returns the rules of check that are named by ID or by package;
// without names all of them.
func selectRules(names []string) ([]policies.Rule, error) {
	all, err := policies.Rules()
	if err != nil {
		return nil, err
	}
	var selected []policies.Rule
	known := map[string]bool{}
	for _, r := range all {
		pkg := string(r.Package())
		if !slices.Contains(checked, r.Package()) {
			continue
		}
		known[r.ID], known[pkg] = true, true
		if len(names) == 0 || slices.Contains(names, r.ID) || slices.Contains(names, pkg) {
			selected = append(selected, r)
		}
	}
	for _, n := range names {
		if !known[n] {
			return nil, fmt.Errorf("no rule %q: `%s rules` lists them", n, display)
		}
	}
	return selected, nil
}

func completeRules(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := selectRules(nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, r := range all {
		names = append(names, r.ID+"\t"+r.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
