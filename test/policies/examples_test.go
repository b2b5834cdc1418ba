package policies

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"tsunaro.io/gateway/policies"
	"tsunaro.io/gateway/test/kustomize"
)

// examples are the builds that are checked together, by what they show: those of
// a gateway's CRs and of its nine. Paths are below examples.
var examples = map[string][]string{
	"home-lab":         {"home-lab/expected/build.yaml"},
	"egress-routes":    {"egress-routes/expected/build.yaml"},
	"argocd":           {"argocd/gateway/expected/build.yaml"},
	"flux":             {"flux/inputs/tailnet.yaml", "flux/inputs/gateway.yaml", "flux/inputs/hosts.yaml", "flux/rendered/lab-gw.yaml"},
	"flux, step two":   {"flux/rendered/lab-gw.yaml"},
	"several-gateways": {"several-gateways/expected/build.yaml", "several-gateways/cellar/expected/build.yaml", "several-gateways/attic/expected/build.yaml"},
	"one of several":   {"several-gateways/attic/expected/build.yaml"},
}

// files returns an example's builds as paths from the top of the tree.
func files(example string) []string {
	var names []string
	for _, f := range examples[example] {
		names = append(names, filepath.Join("examples", f))
	}
	return names
}

// Every build that an example expects is one of those checked here.
func TestExamplesAreAllHere(t *testing.T) {
	var built []string
	for _, pattern := range []string{"*/expected/build.yaml", "*/*/expected/build.yaml", "*/rendered/*-gw.yaml"} {
		names, err := filepath.Glob(filepath.Join(root, "examples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			rel, err := filepath.Rel(filepath.Join(root, "examples"), n)
			if err != nil {
				t.Fatal(err)
			}
			built = append(built, filepath.ToSlash(rel))
		}
	}
	var checked []string
	for name := range maps.Values(examples) {
		checked = append(checked, name...)
	}
	checked = slices.DeleteFunc(checked, func(n string) bool { return filepath.Dir(n) == "flux/inputs" })
	slices.Sort(checked)
	kustomize.Same(t, built, slices.Compact(checked))
	if len(built) < 6 {
		t.Errorf("%d builds, want at least 6", len(built))
	}
}

// REQ: UP-08, RN-02
func TestExamplesPass(t *testing.T) {
	onBuild, onChange := engine(t, builds), engine(t, changes)
	for name := range examples {
		var objects []any
		for _, f := range files(name) {
			objects = append(objects, parse(t, readFile(t, filepath.Join(root, f))).list()...)
		}
		found := append(eval(t, onBuild, policies.Input{New: objects}), eval(t, onChange, policies.Input{New: objects, Old: objects})...)
		for _, f := range found {
			t.Errorf("%s: %s: %s: %s [%s]", name, f.Object, f.Path, f.Text, f.ID)
		}
	}
}
