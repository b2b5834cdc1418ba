package policies

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/policies"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/test/corpus"
	"tsunaro.io/gateway/test/kustomize"
)

// echoes is echo.yaml.
type echoes struct {
	Echoes []echo
	Silent []struct {
		Why string
		IDs []string `yaml:"ids"`
	}
}

type echo struct {
	ID     string
	Rules  []string
	Whole  bool
	Except []string
	Moves  []struct {
		From  string
		Merge bool
		To    []struct {
			Object string
			Path   []any
		}
	}
}

// One corpus, and the same verdict in Rego wherever a rule has an echo there; a
// rule that has none is listed with the reason.
//
// REQ: CF-07
func TestEcho(t *testing.T) {
	var all echoes
	dec := yaml.NewDecoder(bytes.NewReader(readFile(t, "echo.yaml")))
	dec.KnownFields(true)
	if err := dec.Decode(&all); err != nil {
		t.Fatal(err)
	}
	rules, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	var listed, known []string
	for _, s := range all.Silent {
		if s.Why == "" {
			t.Errorf("no reason for %v", s.IDs)
		}
		listed = append(listed, s.IDs...)
	}
	cases := map[string]corpus.Rule{}
	for _, r := range rules {
		known = append(known, r.ID)
		cases[r.ID] = r
	}
	e, base := engine(t, builds), rendered(t)
	ran := 0
	for _, echo := range all.Echoes {
		listed = append(listed, echo.ID)
		r := cases[echo.ID]
		for _, c := range slices.Concat(r.Accept, r.Refuse) {
			if slices.Contains(echo.Except, c.Why) {
				continue
			}
			ran++
			found := ids(eval(t, e, policies.Input{New: echo.build(t, base.clone(t), c).list()}))
			broken := slices.ContainsFunc(found, func(id string) bool { return slices.Contains(echo.Rules, id) })
			if refused := c.Object != ""; broken != refused {
				t.Errorf("%s: %s: refused is %v, and %v are broken", echo.ID, c.Why, refused, found)
			}
		}
	}
	kustomize.Same(t, listed, known)
	if ran < 60 {
		t.Errorf("%d cases, want at least 60", ran)
	}
}

// rendered is the rendering of the corpus' base.
func rendered(t testing.TB) build {
	t.Helper()
	text, err := corpus.Case{}.Docs()
	if err != nil {
		t.Fatal(err)
	}
	docs, findings := document.Parse("", text)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		t.Fatal(err)
	}
	var b build
	for _, o := range out.Objects() {
		var object map[string]any
		if err := json.Unmarshal(o.JSON, &object); err != nil {
			t.Fatal(err)
		}
		b = append(b, object)
	}
	return b
}

// build is what a case makes of the base's rendering.
func (e echo) build(t testing.TB, b build, c corpus.Case) build {
	t.Helper()
	if e.Whole {
		text, err := c.Docs()
		if err != nil {
			t.Fatal(err)
		}
		return append(b, parse(t, text)...)
	}
	docs, err := c.Documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, move := range e.Moves {
		name, path, _ := strings.Cut(move.From, ":")
		i := slices.IndexFunc(docs, func(d corpus.Document) bool { return d.Name == name })
		value, ok := kustomize.At(docs[i].Object, path)
		if !ok {
			continue // it has its default, as in the base
		}
		for _, to := range move.To {
			o := b.at(t, to.Object)
			if move.Merge {
				var keys []string
				for _, step := range to.Path {
					keys = append(keys, step.(string))
				}
				maps.Copy(in(o, keys...), value.(map[string]any))
				continue
			}
			change(o, to.Path, value)
		}
	}
	return b
}
