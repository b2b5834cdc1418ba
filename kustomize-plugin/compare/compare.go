package compare

import (
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// Verdict is what a check found about one gateway or object.
type Verdict string

// The verdicts. All but the first two fail a check.
const (
	AsRendered Verdict = "as-rendered" // the nine are there, unchanged
	Suspended  Verdict = "suspended"   // and rightly nothing is there
	NotRun     Verdict = "not-run"     // nothing of the gateway is there: the function never ran
	Missing    Verdict = "missing"     // one of the nine is not there
	Changed    Verdict = "changed"     // a field is not as rendered
	Unexpected Verdict = "unexpected"  // an object of a gateway that should have none such
	Renamed    Verdict = "renamed"     // the hosts source under a name that nobody looks for
	NoEffect   Verdict = "no-effect"   // a kustomization setting that does not reach the nine
	Twice      Verdict = "twice"       // one of the nine or a source: which one counts depends on who applies it
	Unread     Verdict = "unread"      // a gateway or egress that the nine should have been rendered from
)

// Result is one line of a check.
type Result struct {
	Verdict Verdict `json:"verdict"`
	Object  string  `json:"object"`
	Path    string  `json:"path,omitempty"`
	Want    string  `json:"want,omitempty"`
	Have    string  `json:"have,omitempty"`
}

// OK reports whether the result is no failure.
func (r Result) OK() bool { return r.Verdict == AsRendered || r.Verdict == Suspended }

// Build checks the documents of a finished build against a fresh render of input.
func Build(fresh renderer.Output, input, build []document.Document) ([]Result, error) {
	b := finished{
		objects:  make(map[rules.Object]document.Document, len(build)),
		labelled: map[string]bool{},
	}
	var twice []Result
	for _, d := range build {
		if first, ok := b.objects[d.Object()]; ok && first.APIVersion == d.APIVersion {
			twice = append(twice, Result{Verdict: Twice, Object: d.Object().String()})
		}
		b.objects[d.Object()] = d
		if g := d.Label(api.LabelGateway); g != "" && d.APIVersion != api.APIVersion {
			b.labelled[g] = true
		}
	}
	var results []Result
	expected := map[rules.Object]bool{}
	for _, g := range fresh.Gateways {
		r, err := b.gateway(g, expected)
		if err != nil {
			return nil, err
		}
		results = append(results, r...)
	}
	for _, d := range build {
		if d.Label(api.LabelGateway) != "" && !expected[d.Object()] && d.APIVersion != api.APIVersion {
			results = append(results, Result{Verdict: Unexpected, Object: d.Object().String()})
		}
	}
	changed, err := sources(fresh, input, build)
	if err != nil {
		return nil, err
	}
	return slices.Concat(twice, results, changed, renamed(fresh, build)), nil
}

// finished is a finished build.
type finished struct {
	objects  map[rules.Object]document.Document
	labelled map[string]bool // gateways whose label an object carries
}

// gateway checks the nine of one gateway and adds them to expected.
func (f finished) gateway(g renderer.Gateway, expected map[rules.Object]bool) ([]Result, error) {
	self := rules.Object{Kind: api.KindTailnetGateway, Name: g.Gateway.Name}.String()
	if g.Gateway.Suspended {
		return []Result{{Verdict: Suspended, Object: self}}, nil
	}
	var results []Result
	there := f.labelled[g.Gateway.Name]
	b := binding{}
	for _, o := range g.Objects {
		expected[o.Object] = true
		d, ok := f.objects[o.Object]
		if !ok {
			results = append(results, Result{Verdict: Missing, Object: o.Object.String()})
			continue
		}
		there = true
		r, err := b.object(o, d)
		if err != nil {
			return nil, err
		}
		results = append(results, r...)
	}
	switch {
	case !there:
		return []Result{{Verdict: NotRun, Object: self}}, nil
	case len(results) == 0:
		return []Result{{Verdict: AsRendered, Object: self}}, nil
	}
	return results, nil
}

// binding remembers which UID stands for which placeholder: a build may have
// been bound already, by Flux for one, and then the same UID everywhere.
type binding map[string]string

func (b binding) object(o objects.Object, d document.Document) ([]Result, error) {
	want, findings := document.Parse("", o.JSON)
	if len(findings) > 0 || len(want) != 1 {
		panic("compare: the renderer's own output is not readable")
	}
	return changes(want[0], d, func(c change) bool { return harmless(c) || b.bound(c) })
}

// changes lists what turned want into have, but for what ok lets pass.
func changes(want, have document.Document, ok func(change) bool) ([]Result, error) {
	w, err := tree(want)
	if err != nil {
		return nil, err
	}
	h, err := tree(have)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, c := range diff(nil, w, h) {
		if !ok(c) {
			r := Result{Changed, want.Object().String(), fieldPath(c.path), show(c.want), show(c.have)}
			if private(c.path) && r.Have != "" {
				r.Have = otherText
			}
			results = append(results, r)
		}
	}
	return results, nil
}

// tree returns a document's content. What a parser says about it, a key written
// twice for one, does not reach the user: it may quote a value.
func tree(d document.Document) (any, error) {
	v, err := d.Tree()
	if err != nil {
		return nil, rules.Refusal{{Rule: rules.Syntax, Object: d.Object(), Source: d.Source}}
	}
	return v, nil
}

// private reports whether a field is one that people put keys into by mistake.
// What a build holds there is not repeated in a pipeline's log.
func private(path []string) bool {
	return slices.ContainsFunc(path, func(p string) bool {
		return p == "env" || p == "args" || p == "command" || p == "data" || p == "stringData"
	})
}

func (b binding) bound(c change) bool {
	placeholder, ok := c.want.(string)
	uid, isText := c.have.(string)
	if !ok || !isText || !strings.HasPrefix(placeholder, "${") || !model.UID(uid) {
		return false
	}
	if known, ok := b[placeholder]; ok {
		return known == uid
	}
	b[placeholder] = uid
	return true
}

// syncWave orders an Argo CD sync and changes nothing about the object.
const syncWave = "argocd.argoproj.io/sync-wave"

// hooks is the prefix of the annotations that make an object one that engines run,
// and delete, beside a release.
const hooks = "helm.sh/hook"

// harmless reports whether a change is one that everybody may make: a label or
// annotation of their own on the object itself.
func harmless(c change) bool {
	if c.want != nil || len(c.path) != 3 || c.path[0] != "metadata" || c.path[1] != "labels" && c.path[1] != "annotations" {
		return false
	}
	key := c.path[2]
	return key == syncWave || !api.OwnedKey(key) && !strings.HasPrefix(key, hooks)
}

func fieldPath(path []string) string {
	var b strings.Builder
	for i, p := range path {
		switch {
		case strings.HasPrefix(p, "["):
			b.WriteString(p)
			continue
		case strings.ContainsAny(p, "./"):
			b.WriteString("[" + p + "]")
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return b.String()
}
