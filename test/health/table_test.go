package health

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
)

// said is a condition as JSON has it.
func said(conditionType, status, reason string) map[string]any {
	return map[string]any{
		"type": conditionType, "status": status, "reason": reason, "message": conditionType + " says " + reason + ".",
		"observedGeneration": int64(2), "lastTransitionTime": "2026-11-29T12:00:00Z",
	}
}

// rows are the conditions that the table has of a type, one whose reason it does not
// have, and one whose status its reason never has.
func rows(kind, conditionType string) []map[string]any {
	all := []map[string]any{said(conditionType, "True", "OfTomorrow"), said(conditionType, "False", "OfTomorrow"), said(conditionType, "Unknown", "OfTomorrow")}
	for _, row := range api.Conditions {
		if row.Kind == kind && row.Type == conditionType {
			all = append(all, said(row.Type, string(row.Status), row.Reason))
			if row.Status != api.True {
				all = append(all, said(row.Type, "True", row.Reason))
			}
		}
	}
	return all
}

// made calls do with every pair of what Ready and another condition may say; and,
// for a few of the others, with what kstatus knows beside them, with a deletion, and
// with a generation that no minter has seen.
func made(kind string, do func(*unstructured.Unstructured)) {
	var others []map[string]any
	for _, t := range health.Beside(kind) {
		others = append(others, rows(kind, t)...)
	}
	effects := [][]any{nil, {said("Stalled", "True", "Blocked")}, {said("Reconciling", "True", "Awaiting")}, {said("Stalled", "False", "Blocked"), said("Reconciling", "False", "Awaiting")}}
	for _, ready := range rows(kind, api.ConditionReady) {
		for i, other := range others {
			do(object(kind, 2, "", other, ready))
			if i%9 != 0 {
				continue
			}
			for _, effect := range effects {
				conditions := append([]any{other, ready}, effect...)
				do(object(kind, 2, "", conditions...))
				do(object(kind, 2, "2026-11-29T12:00:00Z", conditions...))
				do(object(kind, 1, "", conditions...))
			}
		}
	}
}

// object is a custom resource of generation 2.
func object(kind string, observed int64, deleted string, conditions ...any) *unstructured.Unstructured {
	metadata := map[string]any{"name": "lab-gw", "generation": int64(2)}
	if deleted != "" {
		metadata["deletionTimestamp"] = deleted
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": api.APIVersion, "kind": kind, "metadata": metadata, "spec": map[string]any{"suspend": false},
		"status": map[string]any{"observedGeneration": observed, "conditions": conditions},
	}}
}

// TestTable: Lua and Flux are what the Go library is, whatever a status says.
//
// REQ: ST-05
func TestTable(t *testing.T) {
	want := map[api.Health]string{api.Healthy: "Current", api.Suspended: "Current", api.Progressing: "InProgress", api.Degraded: "Failed"}
	expressions := evaluators(t, "ready.yaml")
	met := map[api.Health]int{}
	for _, kind := range []string{api.KindTailnetGateway, api.KindTailnet} {
		script := load(t, kind, "health.lua")
		made(kind, func(u *unstructured.Unstructured) {
			v := judge(t, u)
			met[v.Status]++
			lua, err := script.run(u.Object)
			if text := fmt.Sprint(map[string]any{"status": v.Status, "message": v.Message}); err != nil || fmt.Sprint(lua) != text {
				t.Fatalf("Lua: %v %v, Go: %v\n%v", lua, err, text, u.Object["status"])
			}
			if got := evaluate(t, expressions[kind], u); got != want[v.Status] {
				t.Fatalf("Flux: %s, Go: %v\n%v", got, v, u.Object["status"])
			}
		})
	}
	for h, least := range map[api.Health]int{api.Healthy: 50, api.Suspended: 50, api.Progressing: 2000, api.Degraded: 1000} {
		if met[h] < least {
			t.Errorf("%d are %s, want at least %d", met[h], h, least)
		}
	}
}

// TestNothingIsHealthyBeforeReady repeats what matters most about the corpus: only a
// success of the present generation is healthy, and nobody says otherwise.
//
// REQ: ST-05, ST-08
func TestNothingIsHealthyBeforeReady(t *testing.T) {
	for _, s := range states(t) {
		ready := false
		conditions, _, _ := unstructured.NestedSlice(s.Object.Object, "status", "conditions")
		for _, c := range conditions {
			c, _ := c.(map[string]any)
			ready = ready || c["type"] == api.ConditionReady && c["status"] == "True"
		}
		observed, _, _ := unstructured.NestedInt64(s.Object.Object, "status", "observedGeneration")
		if s.Health == string(api.Healthy) && (!ready || observed != s.Object.GetGeneration()) {
			t.Errorf("%s is not ready", s.File)
		}
		if s.Flux == "Current" && s.Health != string(api.Healthy) && s.Health != string(api.Suspended) {
			t.Errorf("%s is done to Flux", s.File)
		}
	}
}

// TestScriptsAreSmall: what Argo CD runs for every look at a gateway, and what a
// person reads.
func TestScriptsAreSmall(t *testing.T) {
	for _, kind := range []string{api.KindTailnetGateway, api.KindTailnet} {
		if n := len(read(t, corpus.Customizations+"/"+kind+"/health.lua")); n > 12<<10 {
			t.Errorf("%s: %d bytes", kind, n)
		}
	}
}
