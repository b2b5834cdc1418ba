package corpus

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/rules"
)

// minCases guards against a corpus that shrinks, or is empty, without notice.
const minCases = 600

// REQ: CF-07
func TestEveryRuleHasBothSides(t *testing.T) {
	corpus, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	texts, cases := map[string]string{}, 0
	for _, r := range corpus {
		texts[r.ID] = r.Text
		cases += len(r.Accept) + len(r.Refuse)
		if len(r.Accept) == 0 || len(r.Refuse) == 0 {
			t.Errorf("%s: %d accepted and %d refused cases", r.ID, len(r.Accept), len(r.Refuse))
		}
	}
	for _, r := range rules.Table {
		if texts[string(r.ID)] != r.Text {
			t.Errorf("%s: the corpus says %q, the table %q", r.ID, texts[string(r.ID)], r.Text)
		}
		delete(texts, string(r.ID))
	}
	for id := range texts {
		t.Errorf("%s: no such rule in the table", id)
	}
	if cases < minCases {
		t.Errorf("%d cases, want at least %d", cases, minCases)
	}
}

// Every case that is not about broken text must be readable, and a refused
// object must be among its documents.
func TestEveryCaseMakesDocuments(t *testing.T) {
	corpus, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range corpus {
		if r.ID == "syntax" || r.ID == "duplicate-key" || r.Engines[0] == Function {
			continue
		}
		for _, c := range append(r.Accept, r.Refuse...) {
			docs, err := c.Docs()
			if err != nil {
				t.Errorf("%s: %v", r.ID, err)
				continue
			}
			if names := objects(t, docs); c.Object != "" && c.Object != "input" && !names[c.Object] && !rendered(c.Object) {
				t.Errorf("%s: %s: no object %s among %v", r.ID, c.Why, c.Object, names)
			}
		}
	}
}

// rendered reports whether a case names an object of the output.
func rendered(object string) bool {
	return strings.HasSuffix(object, "-coredns") || strings.HasSuffix(object, "tsunaro-bindings")
}

func objects(t *testing.T, docs []byte) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	dec := yaml.NewDecoder(bytes.NewReader(docs))
	for {
		var doc any
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatalf("%v in:\n%.2000s", err, docs)
		}
		object, _ := doc.(map[string]any)
		meta, _ := object["metadata"].(map[string]any)
		kind, _ := object["kind"].(string)
		name, _ := meta["name"].(string)
		namespace, _ := meta["namespace"].(string)
		names[rules.Object{Kind: kind, Namespace: namespace, Name: name}.String()] = true
	}
}

func TestLoadIsStrict(t *testing.T) {
	const good = "- {id: a, text: t, why: w, engines: [render], accept: [{why: x}]}"
	if _, err := parse(good); err != nil {
		t.Fatalf("a well-formed rule: %v", err)
	}
	for why, text := range map[string]string{
		"an unknown key of a rule": "- {id: a, text: t, why: w, engines: [render], accepts: []}",
		"an unknown key of a case": "- {id: a, text: t, why: w, engines: [render], accept: [{why: x, sets: {}}]}",
		"an unknown engine":        "- {id: a, text: t, why: w, engines: [sql], accept: [{why: x}]}",
		"a repeated rule":          good + "\n" + good,
		"a rule without text":      "- {id: a, why: w, engines: [render]}",
		"a case without reason":    "- {id: a, text: t, why: w, engines: [render], accept: [{}]}",
		"a refusal of nothing":     "- {id: a, text: t, why: w, engines: [render], refuse: [{why: x}]}",
		"an acceptance somewhere":  "- {id: a, text: t, why: w, engines: [render], accept: [{why: x, object: A/b}]}",
		"input beside set":         "- {id: a, text: t, why: w, engines: [render], accept: [{why: x, input: a, set: {}}]}",
		"two documents":            good + "\n---\n" + good,
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
}

func TestPathsAndGeneratedValues(t *testing.T) {
	c := Case{
		Set: map[string]any{
			"gateway:spec.poolLabels[example.com/a]": "x",
			"gateway:spec.routes.lan":                map[string]any{"$list": map[string]any{"n": 2, "from": 1, "item": "10.%d.0.0/16"}},
			"gateway:spec.tags[1]":                   "tag:b",
			"hosts:data.hosts":                       map[string]any{"$lines": map[string]any{"n": 2, "line": "n%d"}},
		},
		Unset: []string{"gateway:spec.dns.records[0]"},
	}
	docs, err := c.Documents()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, d := range docs {
		got[d.Name] = d.Object
	}
	b, err := yaml.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.com/a: x", "- 10.1.0.0/16", "- 10.2.0.0/16", "- tag:gateway\n", "- tag:b", "n0\n", "n1\n", "records: []"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is missing from:\n%s", want, b)
		}
	}
	for _, key := range []string{"gateway:spec.tags[7]", "nothing:spec", "gateway:spec.zone.a", "gateway:spec.a[b", "gateway:spec.tags[x]"} {
		if _, err := (Case{Unset: []string{key}}).Documents(); err == nil {
			t.Errorf("unset %s: accepted", key)
		}
	}
}
