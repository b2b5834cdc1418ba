package kustomize_test

import (
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// fields holds an object against a table of paths and values; a nil value means
// that the field is not there.
func fields(t *testing.T, objects kustomize.Objects, name string, want map[string]any) {
	t.Helper()
	object, ok := objects[name]
	if !ok {
		t.Fatalf("no %s among %v", name, objects.Names())
	}
	for path, value := range want {
		if got, ok := kustomize.At(object, path); ok != (value != nil) || got != value {
			t.Errorf("%s: %s is %v, want %v", name, path, got, value)
		}
	}
}

// The nine are rendered before Flux sees them. It applies them after the CRs, from
// the namespace in which it finds the two UIDs, and never prunes them.
//
// REQ: UP-09, RN-09
func TestFluxExample(t *testing.T) {
	objects := kustomize.Parse(t, kustomize.Build(t, filepath.Join(examplesDir, "flux/cluster")).Must(t).Stdout)
	const inputs, resources = "Kustomization/tsunaro-system/lab-gw", "Kustomization/tsunaro-system/lab-gw-resources"
	fields(t, objects, inputs, map[string]any{
		"spec.path":                        "./examples/flux/inputs",
		"spec.dependsOn":                   nil,
		"spec.prune":                       true,
		"spec.deletionPolicy":              "Orphan", // a Kustomization that goes leaves the gateway
		"spec.wait":                        nil,      // of the gateway only, not of whatever else is in the layer
		"spec.force":                       nil,
		"spec.sourceRef.name":              "gateways",
		"spec.healthChecks[0].kind":        "TailnetGateway",
		"spec.healthChecks[0].name":        "lab-gw",
		"spec.healthCheckExprs[0].kind":    "TailnetGateway",
		"spec.healthCheckExprs[0].current": expression(t, "bound.yaml"),
	})
	fields(t, objects, resources, map[string]any{
		"spec.path":                                 "./examples/flux/rendered",
		"spec.dependsOn[0].name":                    "lab-gw",
		"spec.dependsOn[1]":                         nil,
		"spec.wait":                                 nil, // a LoadBalancer may get its address from nobody
		"spec.force":                                nil,
		"spec.prune":                                false,
		"spec.targetNamespace":                      nil,
		"spec.postBuild.substituteFrom[0].kind":     "ConfigMap",
		"spec.postBuild.substituteFrom[0].name":     "tsunaro-bindings",
		"spec.postBuild.substituteFrom[0].optional": true,
		"spec.healthCheckExprs[0].kind":             "TailnetGateway",
		"spec.healthCheckExprs[0].current":          expression(t, "ready.yaml"),
	})
	for _, name := range []string{"flux/inputs", "flux/rendered"} {
		if text := read(t, filepath.Join(examplesDir, name), "kustomization.yaml"); strings.Contains(text, "transformers") || strings.Contains(text, "generators") {
			t.Errorf("%s: Flux runs no functions", name)
		}
	}
	// Substitution changes the placeholders and finds nothing else to change.
	rendered := read(t, examplesDir, "flux/rendered/lab-gw.yaml")
	for _, variable := range []string{"${lab_gw_gateway_uid:=<unbound>}", "${lab_gw_state_uid:=<unbound>}"} {
		if n := strings.Count(rendered, variable); n < 9 {
			t.Errorf("%s is there %d times, want at least once in each of the nine", variable, n)
		}
		rendered = strings.ReplaceAll(rendered, variable, "")
	}
	if strings.Contains(rendered, "${") {
		t.Error("Flux would substitute something else")
	}
}

// expression is what health/flux says about a gateway that is done.
func expression(t *testing.T, patch string) any {
	t.Helper()
	objects := kustomize.Parse(t, read(t, "../../health/flux", patch))
	current, ok := kustomize.At(objects["Kustomization/any"], "spec.healthCheckExprs[0].current")
	if !ok {
		t.Fatalf("no expression in %s", patch)
	}
	return current
}

// REQ: UP-09, RN-09
func TestArgoExample(t *testing.T) {
	dir := filepath.Join(examplesDir, "argocd")
	fields(t, kustomize.Parse(t, read(t, dir, "application.yaml")), "Application/argocd/lab-gw", map[string]any{
		"metadata.annotations[argocd.argoproj.io/compare-options]": "ServerSideDiff=true,IncludeMutationWebhook=true",
		"spec.source.path":                         "examples/argocd/gateway",
		"spec.destination.namespace":               "tsunaro-system",
		"spec.syncPolicy.automated.prune":          true,
		"spec.syncPolicy.automated.selfHeal":       true,
		"spec.syncPolicy.retry.limit":              15,   // of what heals one object: it is in the way of every commit
		"spec.syncPolicy.retry.refresh":            true, // or it is the first commit that is tried again
		"spec.syncPolicy.syncOptions[0]":           "ServerSideApply=true",
		"spec.ignoreDifferences":                   nil,
		"spec.sources":                             nil,
		"spec.syncPolicy.managedNamespaceMetadata": nil,
	})
	fields(t, kustomize.Parse(t, read(t, dir, "argocd-cm.yaml")), "ConfigMap/argocd/argocd-cm", map[string]any{
		"data[kustomize.buildOptions]": strings.Join(kustomize.Flags, " "),
	})
	for name, o := range kustomize.Parse(t, read(t, dir, "gateway/"+built)) {
		if wave, ok := kustomize.At(o, "metadata.annotations[argocd.argoproj.io/sync-wave]"); ok {
			t.Errorf("%s is in wave %v: all in one", name, wave)
		}
	}
}
