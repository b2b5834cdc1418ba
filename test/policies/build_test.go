package policies

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/policies"
)

const (
	root   = "../.."
	golden = root + "/renderer/testdata"
)

// build is a list of objects that tests change in place.
type build []map[string]any

// parse reads a stream of YAML documents.
func parse(t testing.TB, text []byte) build {
	t.Helper()
	var b build
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o map[string]any
		if err := dec.Decode(&o); errors.Is(err, io.EOF) {
			return b
		} else if err != nil {
			t.Fatal(err)
		}
		if o != nil { // two separators in a row, or a comment
			b = append(b, o)
		}
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// rendering is an input of the golden corpus and what is rendered from it, as
// one build. The registry of bindings, which is never emitted, is left out.
func rendering(t testing.TB, name string) build {
	t.Helper()
	b := parse(t, readFile(t, filepath.Join(golden, name+".in.yaml")))
	b = slices.DeleteFunc(b, func(o map[string]any) bool { return id(o) == "ConfigMap/tsunaro-bindings" })
	return append(b, parse(t, readFile(t, filepath.Join(golden, name+".out.yaml")))...)
}

// id is Kind/name.
func id(o map[string]any) string {
	kind, _ := o["kind"].(string)
	meta, _ := o["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	return kind + "/" + name
}

// clone is a deep copy with the types of a JSON decoder.
func (b build) clone(t testing.TB) build {
	t.Helper()
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var c build
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (b build) list() []any {
	list := make([]any, len(b))
	for i, o := range b {
		list[i] = o
	}
	return list
}

// engine compiles the rules of the packages, but for those left out.
func engine(t testing.TB, packages []policies.Package, without ...string) *policies.Engine {
	t.Helper()
	e, err := policies.New(t.Context(), packages, without...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func eval(t testing.TB, e *policies.Engine, in policies.Input) []policies.Finding {
	t.Helper()
	findings, err := e.Eval(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// ids are the rules of findings, each once.
func ids(findings []policies.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.ID)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var (
	builds  = []policies.Package{policies.Rendered, policies.Transformed}
	changes = []policies.Package{policies.Change}
	drifts  = []policies.Package{policies.Drift}
)
