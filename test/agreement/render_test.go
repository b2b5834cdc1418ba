package agreement

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"tsunaro.io/gateway/kustomize-plugin/function"
	"tsunaro.io/gateway/kustomize-plugin/source"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/test/corpus"
)

// minRenderCases keeps an emptied corpus from passing.
const minRenderCases = 400

// TestRender runs the corpus through the renderer and the KRM function.
//
// REQ: CF-01, CF-02, CF-03, CF-04, CF-05, CF-06, CF-08, LC-01, LC-02, LC-07, RN-08, RN-12
func TestRender(t *testing.T) {
	list, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, r := range list {
		t.Run(r.ID, func(t *testing.T) {
			for _, c := range r.Accept {
				if got, ok := verdict(t, c); ok {
					ran++
					accepted(t, r, c, got)
				}
			}
			for _, c := range r.Refuse {
				if got, ok := verdict(t, c); ok {
					ran++
					refused(t, r, c, got)
				}
			}
		})
	}
	if ran < minRenderCases {
		t.Errorf("only %d cases ran, want at least %d", ran, minRenderCases)
	}
}

// outcome is what the renderer said of an input.
type outcome struct {
	findings []rules.Finding // refusals or warnings
	refused  bool
}

// verdict runs a case; ok is false if it is for other engines only.
func verdict(t *testing.T, c corpus.Case) (o outcome, ok bool) {
	t.Helper()
	input, err := c.Docs()
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case c.In(corpus.Render):
		docs, findings := document.Parse("", input)
		if len(findings) > 0 {
			return outcome{findings, true}, true
		}
		out, err := renderer.Render(docs)
		if err == nil {
			return outcome{out.Warnings, false}, true
		}
		return outcome{refusal(t, c, err), true}, true
	case c.In(corpus.Function):
		var out, log bytes.Buffer
		err := function.Run(bytes.NewReader(input), &out, &log, baseFiles(t))
		if err == nil {
			return outcome{}, true
		}
		if out.Len() > 0 {
			t.Errorf("%s: refused, and yet %d bytes of output", c.Why, out.Len())
		}
		return outcome{refusal(t, c, err), true}, true
	}
	return outcome{}, false
}

func refusal(t *testing.T, c corpus.Case, err error) []rules.Finding {
	t.Helper()
	var r rules.Refusal
	if !errors.As(err, &r) || len(r) == 0 {
		t.Fatalf("%s: %v is not a refusal", c.Why, err)
	}
	return r
}

func accepted(t *testing.T, r corpus.Rule, c corpus.Case, o outcome) {
	t.Helper()
	if o.refused {
		t.Errorf("accept %q: refused:\n%v", c.Why, rules.Refusal(o.findings))
	}
	for _, f := range o.findings {
		if string(f.Rule) == r.ID {
			t.Errorf("accept %q: warned: %v", c.Why, f)
		}
	}
}

func refused(t *testing.T, r corpus.Rule, c corpus.Case, o outcome) {
	t.Helper()
	if warn := rules.Lookup(rules.ID(r.ID)).Warn; o.refused == warn {
		t.Errorf("refuse %q: refused is %v, want %v", c.Why, o.refused, !warn)
	}
	for _, f := range o.findings {
		if string(f.Rule) == r.ID && f.Object.String() == c.Object && f.Path == c.Path {
			if !strings.HasPrefix(f.Text(), r.Text) {
				t.Errorf("refuse %q: text %q, want %q", c.Why, f.Text(), r.Text)
			}
			return
		}
	}
	t.Errorf("refuse %q: want [%s] at %s %s, got:\n%v", c.Why, r.ID, c.Object, c.Path, rules.Refusal(o.findings))
}

func baseFiles(t *testing.T) func() (source.Files, error) {
	files := fstest.MapFS{}
	for _, name := range []string{"tailnet", "gateway", "second", "egress", "hosts"} {
		b, err := corpus.BaseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name+".yaml"] = &fstest.MapFile{Data: b}
	}
	return func() (source.Files, error) { return files, nil }
}
