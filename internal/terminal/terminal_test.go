package terminal_test

import (
	"bytes"
	"strings"
	"testing"
	"text/tabwriter"

	"tsunaro.io/gateway/internal/terminal"
)

// A column of painted cells stays one.
func TestPaintKeepsColumns(t *testing.T) {
	table := func(p terminal.Paint) string {
		var b bytes.Buffer
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, cell := range []string{p.Red("bad"), p.Green("well"), p.Yellow("hm"), p.Bold("HEAD"), p.Dim("-"), p.None("so")} {
			_, _ = w.Write([]byte(cell + "\tafter\n"))
		}
		_ = w.Flush()
		return b.String()
	}
	plain := strings.NewReplacer("\x1b[31;1m", "", "\x1b[32;1m", "", "\x1b[33;1m", "", "\x1b[39;1m", "", "\x1b[39;2m", "", "\x1b[39;0m", "", "\x1b[0m", "")
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
		if got := terminal.Wrap(c.text, c.width, "  "); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
