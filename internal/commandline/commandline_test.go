package commandline_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/renderer/rules"
)

// Errors end a program with the right code, and are said once.
func TestRun(t *testing.T) {
	refusal := rules.Refusal{{Rule: rules.Syntax, Source: "a.yaml"}}
	finding := refusal[0].String()
	for _, c := range []struct {
		why  string
		err  error
		code int
		says string
	}{
		{"nothing is wrong", nil, 0, ""},
		{"everything has been said", commandline.ErrNo, 1, ""},
		{"a refusal lists its findings", refusal, 1, "prog: cannot read:\n  " + finding + "\n"},
		{"also where it is no answer", commandline.Exit{Code: 2, Err: refusal}, 2, "prog: cannot read:\n  " + finding + "\n"},
		{"all else is an error", errors.New("broken"), 2, "prog: broken\n"},
	} {
		var out, said bytes.Buffer
		root := &cobra.Command{Use: "prog", RunE: func(*cobra.Command, []string) error { return c.err }}
		s := commandline.Streams{In: strings.NewReader(""), Out: &out, Err: &said}
		if code := (commandline.Program{Name: "prog", Refused: "cannot read"}).Run(root, []string{}, s); code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.why, code, c.code)
		}
		if said.String() != c.says || out.Len() > 0 {
			t.Errorf("%s: said %q, want %q", c.why, said.String(), c.says)
		}
	}
}

// Colour is for terminals, unless somebody says otherwise.
func TestPaint(t *testing.T) {
	for _, c := range []struct {
		args            []string
		terminal, plain bool
		want            commandline.Paint
	}{
		{nil, true, false, true},
		{nil, true, true, false},
		{nil, false, false, false},
		{[]string{"--color=always"}, false, true, true},
		{[]string{"--color=never"}, true, false, false},
		{[]string{"--color", "auto"}, true, false, true},
	} {
		var got commandline.Paint
		s := commandline.Streams{OutTerminal: c.terminal, Plain: c.plain, Err: new(bytes.Buffer), Out: new(bytes.Buffer)}
		root := &cobra.Command{Use: "prog"}
		root.AddCommand(&cobra.Command{Use: "sub", Run: func(cmd *cobra.Command, _ []string) { got = s.Paint(cmd) }})
		commandline.Color(root)
		if code := (commandline.Program{Name: "prog"}).Run(root, append([]string{"sub"}, c.args...), s); code != 0 || got != c.want {
			t.Errorf("%v, terminal %t, plain %t: %t (exit code %d), want %t", c.args, c.terminal, c.plain, got, code, c.want)
		}
	}
}

// A column of painted cells stays one.
func TestPaintKeepsColumns(t *testing.T) {
	table := func(p commandline.Paint) string {
		var b bytes.Buffer
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, cell := range []string{p.Red("bad"), p.Green("well"), p.Yellow("hm"), p.Bold("HEAD"), p.Dim("-")} {
			_, _ = w.Write([]byte(cell + "\tafter\n"))
		}
		_ = w.Flush()
		return b.String()
	}
	plain := strings.NewReplacer("\x1b[31;1m", "", "\x1b[32;1m", "", "\x1b[33;1m", "", "\x1b[39;1m", "", "\x1b[39;2m", "", "\x1b[0m", "")
	if got, want := plain.Replace(table(true)), table(false); got != want {
		t.Errorf("without its colours\n%s\nwant\n%s", got, want)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 8, "one two\n  three"},
		{"one two three", 9, "one two\n  three"},
		{"one  two\nthree", 0, "one two three"},
		{"averyverylongword and", 8, "averyverylongword\n  and"},
		{"", 8, ""},
	} {
		if got := commandline.Wrap(c.text, c.width, "  "); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	v := commandline.ThisVersion()
	if v.Version == "" || !strings.HasSuffix(v.String(), ", API tsunaro.io/v1alpha1") {
		t.Errorf("%v", v)
	}
}
