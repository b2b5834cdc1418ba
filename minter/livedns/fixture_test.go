package livedns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/zone"
)

const (
	namespace   = "tsunaro-system"
	coreDNS     = "ConfigMap/tsunaro-system/lab-gw-coredns"
	hostsName   = "ConfigMap/tsunaro-system/tailnet-dns-hosts"
	gatewayText = `
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata: {name: lab-gw, uid: 00000000-0000-4000-8000-000000000001, generation: 3, resourceVersion: "10"}
spec:
  suspend: false
  tailnetRef: {name: home}
  tags: ["tag:gateway"]
  routes: {lan: [192.168.10.0/24]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  dns:
    zone: lab.example
    serviceName: lab-dns
    clusterIP: 10.96.0.53
    records: [{name: nas, addresses: ["192.168.10.7"]}]
    extraZones: [{zone: corp.example, upstreams: ["192.168.10.2"]}]
`
	tailnetText = `
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home, uid: 00000000-0000-4000-8000-000000000002, generation: 1, resourceVersion: "11"}
spec: {controlURL: https://headscale.example}
`
	seedText = "192.168.10.8 app.lab.example\n"
)

func uid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func decoded[T any](t testing.TB, text string) *T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return &v
}

// hosts is a hosts source.
func hosts(text string) *corev1.ConfigMap {
	c := &corev1.ConfigMap{Data: map[string]string{"hosts": text}}
	c.Name, c.Namespace, c.Labels = "tailnet-dns-hosts", namespace, map[string]string{api.LabelTailnet: "home"}
	return c
}

// world is a completed gateway whose zone is as Git's seed was, and has a label and
// an annotation of somebody else's.
func world(t testing.TB) livedns.World {
	t.Helper()
	w := livedns.World{}
	w.Now, w.Namespace = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), namespace
	w.Gateway = observe.Known(decoded[v1alpha1.TailnetGateway](t, gatewayText))
	w.Tailnet = observe.Known(decoded[v1alpha1.Tailnet](t, tailnetText))
	render(&w, hosts(seedText))
	live := seed(t, w)
	w.Live, w.Fresh = observe.Known(live), observe.Known(completion(t, w, live))
	return w
}

// render makes the world's rendering that of its objects and a hosts source.
func render(w *livedns.World, source *corev1.ConfigMap) {
	g, _ := w.Gateway.Get()
	t, _ := w.Tailnet.Get()
	w.Hosts = observe.Absent[observe.Object]()
	if source != nil {
		w.Hosts = observe.Known(observe.ConfigMapOf(source))
	}
	w.Render = observe.Known(observe.RenderOf(g, t, source, nil))
}

// seed is GW-coredns as an engine has created it.
func seed(t testing.TB, w livedns.World) *corev1.ConfigMap {
	t.Helper()
	r, _ := w.Render.Get()
	set, err := verify.Bind(*r.Gateway, uid(1), uid(3))
	if err != nil {
		t.Fatal(err)
	}
	o, err := verify.Decode("ConfigMap", set[3].JSON)
	if err != nil {
		t.Fatal(err)
	}
	live := o.(*corev1.ConfigMap)
	live.UID, live.ResourceVersion = types.UID(uid(13)), "100"
	live.Labels["kustomize.toolkit.fluxcd.io/name"] = "lab"
	live.Annotations["example.com/note"] = "keep"
	return live
}

func completion(t testing.TB, w livedns.World, live *corev1.ConfigMap) observe.Completion {
	t.Helper()
	g, _ := w.Gateway.Get()
	tn, _ := w.Tailnet.Get()
	c := receipt.Completion{
		Rule: receipt.CurrentRule, RenderFormat: 1, Gateway: receipt.GatewaySubject(g), Tailnet: receipt.TailnetSubject(tn),
		State: receipt.Reference{Name: "lab-gw-state", UID: uid(3)}, Auth: receipt.Reference{Name: "lab-gw-auth-receipt", UID: uid(5)},
		KeyID: "5", Expires: w.Now,
	}
	for i, o := range observe.Names(g, namespace) {
		digest := strings.Repeat("a", 64)
		if o.Kind == "ConfigMap" {
			var err error
			if digest, err = verify.Digest(live); err != nil {
				t.Fatal(err)
			}
		}
		c.Objects = append(c.Objects, receipt.Object{Kind: o.Kind, Name: o.Name, UID: uid(10 + i), Digest: digest})
	}
	return observe.Completion{
		Object:  observe.Object{UID: uid(6), Revision: "6", Immutable: true, Labels: map[string]string{api.LabelGatewayUID: uid(1)}},
		Receipt: c,
	}
}

// at gives the live object the data of a hosts source at a serial.
func at(w *livedns.World, text string, serial uint32) {
	live, _ := w.Live.Get()
	live = live.DeepCopy()
	before := w.Render
	h := w.Hosts
	render(w, hosts(text))
	r, _ := w.Render.Get()
	w.Render, w.Hosts = before, h
	live.Data = r.Gateway.Zone.ConfigMap(serial)
	for k, v := range (zone.Revision{Serial: serial, Hash: r.Gateway.Zone.Hash()}).Annotations() {
		live.Annotations[k] = v
	}
	w.Live = observe.Known(live)
}

// edit changes a fact's value, which is made anew for each world.
func edit[T any](f *observe.Fact[T], change func(*T)) {
	v, _ := f.Get()
	change(&v)
	*f = observe.Known(v)
}

func gatewayIn(w *livedns.World) *v1alpha1.TailnetGateway { g, _ := w.Gateway.Get(); return g }
func tailnetIn(w *livedns.World) *v1alpha1.Tailnet        { t, _ := w.Tailnet.Get(); return t }
func liveIn(w *livedns.World) *corev1.ConfigMap           { c, _ := w.Live.Get(); return c }
