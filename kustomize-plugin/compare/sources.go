package compare

import (
	"strings"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/admit"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// sources checks the CRs and hosts sources that a build holds against those of
// the input: the minter renders from them, so a build that changed them and not
// the nine is at odds with itself. A build may also leave them out.
func sources(fresh renderer.Output, input, build []document.Document) ([]Result, error) {
	given := map[rules.Object]document.Document{}
	for i, d := range input {
		if fresh.Roles[i] == admit.Source {
			given[unscoped(d)] = d
		}
	}
	var results []Result
	for _, d := range build {
		want, ok := given[unscoped(d)]
		if !ok {
			if d.APIVersion == api.APIVersion && (d.Kind == api.KindTailnetGateway || d.Kind == api.KindTailnetEgress) {
				results = append(results, Result{Verdict: Unread, Object: d.Object().String()})
			}
			continue
		}
		r, err := changes(want, d, func(c change) bool { return harmless(c) || scope(d, c) })
		if err != nil {
			return nil, err
		}
		results = append(results, r...)
	}
	return results, nil
}

// unscoped identifies a source. Kustomize's namespace field reaches CRs, also
// those that are cluster-scoped and so are in no namespace.
func unscoped(d document.Document) rules.Object {
	o := d.Object()
	if d.APIVersion == api.APIVersion && o.Kind != api.KindTailnetEgress {
		o.Namespace = ""
	}
	return o
}

func scope(d document.Document, c change) bool {
	return unscoped(d).Namespace == "" && fieldPath(c.path) == "metadata.namespace"
}

// renamed finds the hosts source of a Tailnet under its name with something
// appended or put before it, as a configMapGenerator, a namePrefix or a nameSuffix
// leaves it (DN-13).
func renamed(fresh renderer.Output, build []document.Document) []Result {
	var results []Result
	for _, d := range build {
		for _, g := range fresh.Gateways {
			t := g.Tailnet
			if d.Kind == "ConfigMap" && d.Namespace == t.OperatorNamespace &&
				d.Label(api.LabelTailnet) == t.Name && d.Name != t.Hosts.Name && strings.Contains(d.Name, t.Hosts.Name) {
				results = append(results, Result{Renamed, d.Object().String(), "metadata.name", show(t.Hosts.Name), show(d.Name)})
				break
			}
		}
	}
	return results
}
