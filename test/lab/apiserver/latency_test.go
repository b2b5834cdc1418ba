//go:build lab

package apiserver

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// What the policies add to a write is less than the write itself takes. For other
// people's objects that holds with a registry of 1000 gateways too; for the nine
// such a registry costs more, since the server reads it anew for each policy that
// has it as its parameter, and that is only printed.
//
// Two servers, one without any policy, take turns, so that whatever else the
// machine does weighs on both.
func TestLatency(t *testing.T) {
	each(t, mutating[:1], func(t *testing.T, l *lab) {
		bare := newLab(t, l.Version)
		t.Cleanup(bare.Stop)
		with, without := l.world(t), bare.world(t)
		with.setUp("open")
		without.create(apiserver.FluxEngine, without.render(with.entry("open")))
		for _, w := range []*world{with, without} {
			if _, err := w.as(apiserver.Person, "ConfigMap").Create(t.Context(), configMap("other"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		large := thousand()
		maps.Copy(large, with.entry("complete"))
		for _, registry := range []map[string]string{with.entry("complete"), large} {
			with.register(registry)
			for _, write := range []struct{ what, kind, name, patch string }{
				{"another ConfigMap", "ConfigMap", "other", `{"data": {"x": "%d"}}`},
				{"an annotation of the StatefulSet", "StatefulSet", with.gateway, `{"metadata": {"annotations": {"x": "%d"}}}`},
				{"an image of the StatefulSet", "StatefulSet", with.gateway,
					`[{"op": "replace", "path": "/spec/template/spec/containers/1/image", "value": "registry.example/coredns:v1.14.%d"}]`},
				{"an annotation of the CoreDNS ConfigMap", "ConfigMap", api.CoreDNSName(with.gateway), `{"metadata": {"annotations": {"x": "%d"}}}`},
			} {
				took := takeTurns(t, write.name, write.patch, with.as(apiserver.FluxEngine, write.kind), without.as(apiserver.FluxEngine, write.kind))
				at := func(i, percent int) time.Duration { return took[i][rounds*percent/100].Round(10 * time.Microsecond) }
				t.Logf("%s, %d gateways: with policies %v (95%%: %v), without %v (%v), added %v",
					write.what, len(registry)/3, at(0, 50), at(0, 95), at(1, 50), at(1, 95), at(0, 50)-at(1, 50))
				// The fast quarter, because a busy machine says nothing about the others.
				if added := at(0, 25) - at(1, 25); added > at(1, 25) && (write.name == "other" || len(registry) < len(large)) {
					t.Errorf("%s: the policies add %v to %v", write.what, added, at(1, 25))
				}
			}
		}
	})
}

const rounds = 100

// takeTurns sends the same patches to both clients and returns how long each
// took, sorted.
func takeTurns(t *testing.T, name, patch string, clients ...dynamic.ResourceInterface) [2][]time.Duration {
	t.Helper()
	kind := types.MergePatchType
	if patch[0] == '[' {
		kind = types.JSONPatchType
	}
	var took [2][]time.Duration
	for round := range rounds {
		for i, client := range clients {
			start := time.Now()
			if _, err := client.Patch(t.Context(), name, kind, fmt.Appendf(nil, patch, round), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
			took[i] = append(took[i], time.Since(start))
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	return took
}
