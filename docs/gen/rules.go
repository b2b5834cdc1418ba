package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/test/corpus"
)

func rulesPage() ([]byte, error) {
	all, err := corpus.Load()
	if err != nil {
		return nil, err
	}
	cases := map[string]corpus.Rule{}
	for _, r := range all {
		cases[r.ID] = r
	}
	p := newPage("Rules")
	p.line(`
What is refused, or warned about. Each line reads on from the field it is about:
` + "`TailnetGateway/lab-gw: spec.tags[0]: must be a tag ...`" + `. The ID in brackets at
the end of such a line is stable, so that pipelines may match on it.

Rules that the API server knows as well are checked when an object is applied,
by its CRD. The renderer knows them all.`)
	p.line("")
	p.header("ID", "Rule", "Why", "Checked by", "Requirement")
	for _, r := range rules.Table {
		c, ok := cases[string(r.ID)]
		if !ok {
			return nil, fmt.Errorf("rule %s has no cases", r.ID)
		}
		text := r.Text
		if r.Warn {
			text = "*Warning:* " + text
		}
		p.row(code(string(r.ID)), text, c.Why, strings.Join(checkedBy(c), ", "), r.Req)
	}
	return p.Bytes(), nil
}

// checkedBy tells who refuses what breaks the rule.
func checkedBy(r corpus.Rule) []string {
	who := map[corpus.Engine]string{corpus.Render: "renderer", corpus.CRD: "API server", corpus.Function: "function"}
	found := map[string]bool{}
	for _, c := range r.Refuse {
		for _, e := range c.Engines {
			found[who[e]] = true
		}
	}
	return sortedKeys(found)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
