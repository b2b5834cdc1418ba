package commandline

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is a flag that takes one of a few values.
type choice struct {
	value   *string
	allowed []string
}

func (c choice) String() string {
	if c.value == nil { // pflag asks a zero value
		return ""
	}
	return *c.value
}

func (c choice) Type() string { return "string" }

func (c choice) Set(value string) error {
	if !slices.Contains(c.allowed, value) {
		return fmt.Errorf("%q is not one of %s", value, strings.Join(c.allowed, ", "))
	}
	*c.value = value
	return nil
}

// Output adds --output with the given forms and their completion; the first is the
// default.
func Output(cmd *cobra.Command, value *string, forms ...string) {
	choose(cmd, cmd.Flags(), value, "output", "o", "output format: ", forms)
}

func choose(cmd *cobra.Command, flags *pflag.FlagSet, value *string, name, short, usage string, allowed []string) {
	*value = allowed[0]
	flags.VarP(choice{value, allowed}, name, short, usage+alternatives(allowed))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
}

func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// PrintJSON writes v as people read JSON: indented, and < as <.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
