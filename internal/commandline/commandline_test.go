package commandline_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/internal/terminal"
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
		want            terminal.Paint
	}{
		{nil, true, false, true},
		{nil, true, true, false},
		{nil, false, false, false},
		{[]string{"--color=always"}, false, true, true},
		{[]string{"--color=never"}, true, false, false},
		{[]string{"--color", "auto"}, true, false, true},
	} {
		var got terminal.Paint
		s := commandline.Streams{OutTerminal: c.terminal, Plain: c.plain, Err: new(bytes.Buffer), Out: new(bytes.Buffer)}
		root := &cobra.Command{Use: "prog"}
		root.AddCommand(&cobra.Command{Use: "sub", Run: func(cmd *cobra.Command, _ []string) { got = s.Paint(cmd) }})
		commandline.Color(root)
		if code := (commandline.Program{Name: "prog"}).Run(root, append([]string{"sub"}, c.args...), s); code != 0 || got != c.want {
			t.Errorf("%v, terminal %t, plain %t: %t (exit code %d), want %t", c.args, c.terminal, c.plain, got, code, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	v := commandline.ThisVersion()
	if v.Version == "" || !strings.HasSuffix(v.String(), ", API tsunaro.io/v1alpha1") {
		t.Errorf("%v", v)
	}
}
