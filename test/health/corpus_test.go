package health

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/runtime/conditions/check"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// states is the corpus.
func states(t testing.TB) []corpus.State {
	t.Helper()
	all, err := corpus.Read(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// judge is the Go library's verdict on an object.
func judge(t testing.TB, u *unstructured.Unstructured) health.Verdict {
	t.Helper()
	var (
		gateway v1alpha1.TailnetGateway
		tailnet v1alpha1.Tailnet
		into    any = &gateway
	)
	if u.GetKind() == api.KindTailnet {
		into = &tailnet
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into); err != nil {
		t.Fatal(err)
	}
	if u.GetKind() == api.KindTailnet {
		return health.Tailnet(&tailnet)
	}
	return health.Gateway(&gateway)
}

// TestCorpus: whoever judges a state comes to the verdict that it is written to have.
//
// REQ: ST-05, ST-06
func TestCorpus(t *testing.T) {
	ready, bound := evaluators(t, "ready.yaml"), evaluators(t, "bound.yaml")
	scripts := map[string]script{}
	for _, kind := range []string{api.KindTailnetGateway, api.KindTailnet} {
		scripts[kind] = load(t, kind, "health.lua")
	}
	for _, s := range states(t) {
		t.Run(s.File, func(t *testing.T) {
			if v := judge(t, s.Object); string(v.Status) != s.Health || v.Message != s.Message {
				t.Errorf("Go: %s: %s", v.Status, v.Message)
			}
			said, err := scripts[s.Kind()].run(s.Object.Object)
			if want := fmt.Sprint(map[string]any{"status": s.Health, "message": s.Message}); err != nil || fmt.Sprint(said) != want {
				t.Errorf("Lua: %v %v", said, err)
			}
			if got := evaluate(t, ready[s.Kind()], s.Object); got != s.Flux {
				t.Errorf("Flux, step two: %s, want %s", got, s.Flux)
			}
			if s.Kind() == api.KindTailnetGateway {
				if got := evaluate(t, bound[s.Kind()], s.Object); got != s.Bound {
					t.Errorf("Flux, step one: %s, want %s", got, s.Bound)
				}
			}
			if got, err := status.Compute(s.Object); err != nil || string(got.Status) != s.KStatus {
				t.Errorf("kstatus: %v %v, want %s", got, err, s.KStatus)
			}
		})
	}
}

// withConditions is an object that Flux's checker looks at.
type withConditions struct {
	*unstructured.Unstructured
	conditions []metav1.Condition
}

func (w withConditions) GetConditions() []metav1.Condition { return w.conditions }

// TestConditionsAreFluxes: what a minter has written keeps Flux's rules about
// conditions.
//
// REQ: ST-01
func TestConditionsAreFluxes(t *testing.T) {
	for _, s := range states(t) {
		if s.From != corpus.Recorded {
			continue
		}
		var object struct {
			Status struct {
				Observed   int64              `json:"observedGeneration"`
				Conditions []metav1.Condition `json:"conditions"`
			} `json:"status"`
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(s.Object.Object, &object); err != nil {
			t.Fatal(err)
		}
		if object.Status.Observed != s.Object.GetGeneration() {
			continue // no minter has seen it yet
		}
		c := check.NewChecker(nil, &check.Conditions{NegativePolarity: []string{api.ConditionReconciling, api.ConditionStalled}})
		if i := ready(object.Status.Conditions); i >= 0 && object.Status.Conditions[i].Status == metav1.ConditionUnknown {
			c = check.NewInProgressChecker(nil)
		}
		c.DisableFetch, c.Stdout, c.Stderr = true, io.Discard, io.Discard
		if fail, warn := c.Check(context.Background(), withConditions{s.Object, object.Status.Conditions}); fail != nil || warn != nil {
			t.Errorf("%s: %v %v", s.File, fail, warn)
		}
	}
}

func ready(conditions []metav1.Condition) int {
	for i, c := range conditions {
		if c.Type == api.ConditionReady {
			return i
		}
	}
	return -1
}
