package health

import (
	"testing"

	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
)

// evaluators are Flux's own, by kind, made of what a patch gives a Kustomization.
func evaluators(t testing.TB, patch string) map[string]*cel.StatusEvaluator {
	t.Helper()
	var k struct {
		Spec struct {
			HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(read(t, "flux/"+patch), &k); err != nil {
		t.Fatal(err)
	}
	all := map[string]*cel.StatusEvaluator{}
	for _, e := range k.Spec.HealthCheckExprs {
		evaluator, err := cel.NewStatusEvaluator(&e.HealthCheckExpressions)
		if err != nil {
			t.Fatalf("%s: %s: %v", patch, e.Kind, err)
		}
		if e.APIVersion != api.APIVersion {
			t.Errorf("%s: %s of %s", patch, e.Kind, e.APIVersion)
		}
		all[e.Kind] = evaluator
	}
	if len(all) != 2 {
		t.Errorf("%s is about %d kinds, want 2", patch, len(all))
	}
	return all
}

// unknown is what Flux makes of an expression that cannot be evaluated: it waits.
const unknown = "Unknown"

func evaluate(t testing.TB, e *cel.StatusEvaluator, u *unstructured.Unstructured) string {
	t.Helper()
	result, err := e.Evaluate(t.Context(), u)
	if err != nil {
		return unknown
	}
	return string(result.Status)
}
