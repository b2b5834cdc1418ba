package gateway_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/controller/gateway"
	"tsunaro.io/gateway/minter/controller/tailnets"
	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// told is a reconciler whose metrics can be looked at.
func (b *bed) told() *prometheus.Registry {
	b.Helper()
	registry := prometheus.NewPedanticRegistry()
	m, err := metrics.New(registry)
	if err != nil {
		b.Fatal(err)
	}
	cluster := kube.Over(b, api.DefaultOperatorNamespace)
	clients := tailnets.NewClients(cluster, headscale.Options{Tries: 1}, m.Headscale)
	b.runs = gateway.New(cluster, tailnets.NewNodes(clients, time.Hour), m, &events.FakeRecorder{})
	return registry
}

// series is how many there are about the gateway, by metric.
func series(t *testing.T, registry *prometheus.Registry) map[string]int {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, f := range families {
		for _, s := range f.GetMetric() {
			for _, l := range s.GetLabel() {
				if l.GetName() == "name" && l.GetValue() == "lab-gw" {
					n[f.GetName()]++
				}
			}
		}
	}
	return n
}

func change[T any, P interface {
	*T
	client.Object
}](b *bed, name string, by func(P)) {
	b.Helper()
	o := P(new(T))
	if err := b.Get(b.Context(), client.ObjectKey{Name: name}, o); err != nil {
		b.Fatal(err)
	}
	by(o)
	if err := b.Update(b.Context(), o); err != nil {
		b.Fatal(err)
	}
}

// A gateway that is in service has series, and one that is suspended, another
// minter's or gone has none at all.
//
// REQ: ST-04, RN-12
func TestWithdrawn(t *testing.T) {
	suspend := func(is bool) func(*bed) {
		return func(b *bed) {
			change(b, "lab-gw", func(g *v1alpha1.TailnetGateway) { g.Spec.Suspend = &is })
		}
	}
	for why, out := range map[string]func(*bed){
		"suspended":        suspend(true),
		"another minter's": func(b *bed) { change(b, "home", func(t *v1alpha1.Tailnet) { t.Spec.OperatorNamespace = "elsewhere" }) },
		"gone": func(b *bed) {
			g := &v1alpha1.TailnetGateway{}
			g.Name = "lab-gw"
			if err := b.WithWatch.Delete(b.Context(), g, client.Preconditions{UID: new(uid(1))}); err != nil {
				b.Fatal(err)
			}
		},
	} {
		t.Run(why, func(t *testing.T) {
			b := newBed(t, complete(t, receipt.RuleV010)...)
			registry := b.told()
			_ = b.reconcile("lab-gw") // which rewrites its receipt, and finds no Headscale
			n := series(t, registry)
			for _, name := range []string{"tailnet_resource_ready", "tailnet_resource_condition", "tailnet_resource_steps_total", "tailnet_gateway_dns_swaps_total"} {
				if n[name] == 0 {
					t.Errorf("in service there is no %s: %v", name, n)
				}
			}
			out(b)
			if err := b.reconcile("lab-gw"); err != nil {
				t.Fatal(err)
			}
			if n := series(t, registry); len(n) > 0 {
				t.Errorf("there is still %v", n)
			}
		})
	}
}
