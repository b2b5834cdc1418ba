package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/health/view"
	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/renderer/api"
)

func newExplain(s commandline.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "explain [REASON|CONDITION...]",
		Short: "Tell what a condition or a reason in a status means, and what to do",
		Long: `Tell what a condition or a reason in a status means, how bad it is, and what to do.
It needs no cluster. Without arguments it lists the conditions.`,
		Example: `  kubectl tsunaro explain FreshBlocked
  kubectl tsunaro explain DNSReady
  kubectl tsunaro explain Ready/Provisioning -o json`,
		ValidArgsFunction: completeExplain,
		RunE: func(cmd *cobra.Command, args []string) error {
			topics, err := topics(args)
			if err != nil {
				return err
			}
			if output == "json" {
				return commandline.PrintJSON(s.Out, rowsOf(topics))
			}
			look := view.Look{Paint: s.Paint(cmd), Width: s.Width}
			if len(args) == 0 {
				_, err := io.WriteString(s.Out, view.ConditionsText(look))
				return err
			}
			for i, t := range topics {
				if i > 0 {
					fmt.Fprintln(s.Out)
				}
				if _, err := io.WriteString(s.Out, t.Text(look)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	commandline.Output(cmd, &output, "text", "json")
	return cmd
}

// topics are what the arguments name; without any the whole table.
func topics(args []string) ([]view.Topic, error) {
	if len(args) == 0 {
		return []view.Topic{{Rows: api.Conditions}}, nil
	}
	out := make([]view.Topic, len(args))
	for i, arg := range args {
		t, ok := view.FindTopic(arg)
		if !ok {
			return nil, fmt.Errorf("no condition and no reason %q: `%s explain` lists the conditions", arg, display)
		}
		out[i] = t
	}
	return out, nil
}

// row is a row of the table as programs read it.
type row struct {
	Kind    string `json:"kind"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Health  string `json:"health,omitempty"`
	KStatus string `json:"kstatus,omitempty"`
	Next    string `json:"next,omitempty"`
}

func rowsOf(topics []view.Topic) []row {
	rows := []row{}
	for _, t := range topics {
		for _, c := range t.Rows {
			message := strings.TrimSpace(c.Text + " " + strings.ReplaceAll(c.Also, "\n", " "))
			rows = append(rows, row{c.Kind, c.Type, c.Reason, string(c.Status), message, string(c.Health), string(c.Effect), c.Next})
		}
	}
	return rows
}

func completeExplain(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, t := range api.ConditionTypes {
		words = append(words, t.Type+"\t"+t.Question)
	}
	for _, c := range api.Conditions {
		words = append(words, c.Reason+"\t"+c.Kind+" "+c.Type+": "+c.Text)
	}
	slices.SortStableFunc(words, func(a, b string) int { return strings.Compare(word(a), word(b)) })
	words = slices.CompactFunc(words, func(a, b string) bool { return word(a) == word(b) })
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, begun) })
	return words, cobra.ShellCompDirectiveNoFileComp
}

// word is a completion without its description.
func word(completion string) string {
	w, _, _ := strings.Cut(completion, "\t")
	return w
}
