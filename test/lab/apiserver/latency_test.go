//go:build lab

package apiserver

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// What the policies add to a write is less than the write itself takes, with a
// registry of 1000 gateways. Two servers, one without any policy, take turns, so
// that whatever else the machine does weighs on both.
func TestLatency(t *testing.T) {
	const rounds = 200
	each(t, mutating[:1], func(t *testing.T, l *lab) {
		bare := newLab(t, l.Version)
		t.Cleanup(bare.Stop)
		with, without := l.world(t), bare.world(t)
		with.setUp("open")
		registry := thousand()
		for k, v := range with.entry("complete") {
			registry[k] = v
		}
		with.register(registry)
		without.create(apiserver.FluxEngine, without.render(with.entry("open")))

		for _, write := range []struct{ what, kind, name, patch string }{
			{"an unrelated ConfigMap", "ConfigMap", "other", `{"data": {"x": "%d"}}`},
			{"an annotation of the StatefulSet", "StatefulSet", with.gateway, `{"metadata": {"annotations": {"x": "%d"}}}`},
			{"an annotation of the CoreDNS ConfigMap", "ConfigMap", api.CoreDNSName(with.gateway), `{"metadata": {"annotations": {"x": "%d"}}}`},
		} {
			clients := make([]dynamic.ResourceInterface, 2)
			for i, w := range []*world{with, without} {
				clients[i] = w.as(apiserver.FluxEngine, write.kind)
				if write.name == "other" {
					if _, err := clients[i].Create(t.Context(), configMap("other"), metav1.CreateOptions{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			took := [2][]time.Duration{}
			for round := range rounds {
				for i, client := range clients {
					start := time.Now()
					_, err := client.Patch(t.Context(), write.name, types.MergePatchType, fmt.Appendf(nil, write.patch, round), metav1.PatchOptions{})
					if err != nil {
						t.Fatal(err)
					}
					took[i] = append(took[i], time.Since(start))
				}
			}
			for i := range took {
				slices.Sort(took[i])
			}
			at := func(i, percent int) time.Duration { return took[i][rounds*percent/100].Round(10 * time.Microsecond) }
			t.Logf("%s: with policies %v (95%%: %v), without %v (%v), added %v",
				write.what, at(0, 50), at(0, 95), at(1, 50), at(1, 95), at(0, 50)-at(1, 50))
			// The fast quarter, because a busy machine says nothing about the others.
			if added := at(0, 25) - at(1, 25); added > at(1, 25) {
				t.Errorf("%s: the policies add %v to %v", write.what, added, at(1, 25))
			}
		}
	})
}
