package livedns_test

import (
	"maps"
	"testing"

	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Each field of class Identity, changed: a zone that would be another one is left
// alone, and one that would be the same is followed. So no such field is forgotten.
//
// REQ: UP-01, DL-05
func TestEveryIdentity(t *testing.T) {
	g := func(change func(*v1alpha1.TailnetGateway)) func(*livedns.World) {
		return func(w *livedns.World) { change(gatewayIn(w)) }
	}
	n := func(change func(*v1alpha1.Tailnet)) func(*livedns.World) {
		return func(w *livedns.World) { change(tailnetIn(w)) }
	}
	changes := map[string]func(*livedns.World){
		"spec.hostname":                   g(func(g *v1alpha1.TailnetGateway) { g.Spec.Hostname = "other" }),
		"spec.tags":                       g(func(g *v1alpha1.TailnetGateway) { g.Spec.Tags = []v1alpha1.Tag{"tag:other"} }),
		"spec.loadBalancerIP":             g(func(g *v1alpha1.TailnetGateway) { g.Spec.LoadBalancerIP = "10.99.0.54" }),
		"spec.dns.zone":                   g(func(g *v1alpha1.TailnetGateway) { g.Spec.DNS.Zone = "other.example" }),
		"spec.dns.serviceName":            g(func(g *v1alpha1.TailnetGateway) { g.Spec.DNS.ServiceName = "other" }),
		"spec.dns.clusterIP":              g(func(g *v1alpha1.TailnetGateway) { g.Spec.DNS.ClusterIP = "10.96.0.54" }),
		"spec.dns.extraZones[].zone":      g(func(g *v1alpha1.TailnetGateway) { g.Spec.DNS.ExtraZones[0].Zone = "more.example" }),
		"spec.dns.extraZones[].upstreams": g(func(g *v1alpha1.TailnetGateway) { g.Spec.DNS.ExtraZones[0].Upstreams[0] = "192.168.10.3" }),
		"spec.controlURL":                 n(func(t *v1alpha1.Tailnet) { t.Spec.ControlURL = "https://other.example" }),
		"spec.dns.hostsConfigMapRef.key":  n(func(t *v1alpha1.Tailnet) { t.Spec.DNS.HostsConfigMapRef.Key = "more" }),
		"spec.dns.hostsConfigMapRef.name": n(func(t *v1alpha1.Tailnet) { t.Spec.DNS.HostsConfigMapRef.Name = "more" }),
	}
	// One format is known, another Tailnet is another world, another namespace is
	// another minter's, and the rest is refused by every writer (LC-07).
	for _, path := range []string{
		"spec.renderFormat", "spec.tailnetRef.name", "spec.operatorNamespace", "spec.stateSecretRef.name", "spec.authKeySecretRef.name", "spec.authKeySecretRef.key",
		"spec.forwards[].listenPort", "spec.forwards[].target", "spec.adoption.nodeId", "spec.adoption.objects[].apiVersion",
		"spec.adoption.objects[].kind", "spec.adoption.objects[].name", "spec.adoption.objects[].uid",
	} {
		changes[path] = nil
	}
	for _, fields := range [][]api.Field{api.GatewayFields, api.TailnetFields} {
		for _, f := range fields {
			if _, ok := changes[f.Path]; f.Class == api.Identity && !ok {
				t.Errorf("%s is not tried", f.Path)
			}
		}
	}
	before := world(t)
	r, _ := before.Render.Get()
	zone := r.Gateway.Zone.ConfigMap(1)
	for path, change := range changes {
		if change == nil {
			continue
		}
		w := world(t)
		change(&w)
		source := hosts(seedText)
		ref := tailnetIn(&w).Spec.DNS.HostsConfigMapRef
		if ref.Name != "" {
			source.Name = string(ref.Name)
		}
		if ref.Key != "" {
			source.Data = map[string]string{string(ref.Key): seedText}
		}
		render(&w, source)
		r, _ := w.Render.Get()
		if r.Gateway == nil {
			t.Fatalf("%s: %v", path, r.Refused)
		}
		another := !maps.Equal(zone, r.Gateway.Zone.ConfigMap(1)) || ref.Name != "" || ref.Key != ""
		want := "DNSInSync"
		if another {
			want = "DNSUpdateBlocked"
		}
		if v := livedns.Decide(w); v.Reason != want || v.Swap != nil {
			t.Errorf("%s: %s %v, want %s", path, v.Reason, v.Values, want)
		}
	}
}

// TestUnknown makes each fact unknown that a swap rests on: nothing is written
// then. What it does not rest on may be unknown.
//
// REQ: LC-06, DL-05
func TestUnknown(t *testing.T) {
	due := world(t)
	render(&due, hosts(change))
	for name, unknown := range map[string]func(*livedns.World){
		"Gateway": func(w *livedns.World) { w.Gateway = observe.Fact[*v1alpha1.TailnetGateway]{} },
		"Tailnet": func(w *livedns.World) { w.Tailnet = observe.Fact[*v1alpha1.Tailnet]{} },
		"Fresh":   func(w *livedns.World) { w.Fresh = observe.Fact[observe.Completion]{} },
		"Hosts":   func(w *livedns.World) { w.Hosts = observe.Fact[observe.Object]{} },
		"Render":  func(w *livedns.World) { w.Render = observe.Fact[observe.Render]{} },
		"Live":    func(w *livedns.World) { w.Live = livedns.World{}.Live },
	} {
		w := due
		unknown(&w)
		v := livedns.Decide(w)
		if v.Swap != nil || v.Reason != "EvidenceUnavailable" && name != "Gateway" {
			t.Errorf("%s unknown: %s, swap %v", name, v.Reason, v.Swap != nil)
		}
	}
	if v := livedns.Decide(due); v.Swap == nil { // nothing else of the world is known
		t.Errorf("%s", v.Reason)
	}
}
