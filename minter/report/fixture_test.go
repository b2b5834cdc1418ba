package report_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/model"
)

const (
	namespace   = "tsunaro-system"
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
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53}
`
	tailnetText = `
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home, uid: 00000000-0000-4000-8000-000000000002, generation: 1, resourceVersion: "11"}
spec: {controlURL: https://headscale.example}
`
	hostsText = `
apiVersion: v1
kind: ConfigMap
metadata: {name: tailnet-dns-hosts, namespace: tsunaro-system, labels: {tsunaro.io/tailnet: home}}
data: {hosts: "192.168.10.7 app.lab.example\n"}
`
)

var (
	start = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	lan   = netip.MustParsePrefix("192.168.10.0/24")
	lb    = netip.MustParsePrefix("10.99.0.0/24")
	other = netip.MustParsePrefix("10.1.0.0/16")
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

// world is a gateway whose nine exist as they are rendered, complete and running.
// All that a test changes in place is made anew.
func world(t testing.TB) observe.World {
	t.Helper()
	keys := proof.Keys{Machine: "mkey:" + strings.Repeat("1", 64), Node: "nodekey:" + strings.Repeat("2", 64)}
	w := observe.World{
		Now: start, Namespace: namespace,
		Gateway: observe.Known(decoded[v1alpha1.TailnetGateway](t, gatewayText)),
		Tailnet: observe.Known(decoded[v1alpha1.Tailnet](t, tailnetText)),
		Hosts:   observe.Known(observe.Object{}), Peers: observe.Known([]model.Inputs(nil)),
		APIKey: observe.Known(observe.Accepted{}), FreshNext: observe.Absent[observe.Object](),
		State: observe.Known(observe.State{
			Object:  observe.Object{UID: uid(3), Revision: "12", Created: start, Labels: map[string]string{"tsunaro.io/gateway-uid": uid(1)}},
			Content: proof.Filled, Readable: true, Identity: proof.State{Keys: keys},
		}),
		Auth: observe.Known(observe.Object{UID: uid(4), Revision: "13", Immutable: true}),
		Nodes: observe.Known([]node.Node{{
			ID: "7", MachineKey: keys.Machine, NodeKey: keys.Node, Name: "lab-gw", GivenName: "lab-gw",
			Tags: []string{"tag:gateway"}, Online: true, KeyID: "5",
			Addresses:  []netip.Addr{netip.MustParseAddr("100.64.0.7"), netip.MustParseAddr("fd7a:115c:a1e0::7")},
			Advertised: []netip.Prefix{lb, lan}, Approved: []netip.Prefix{lan, lb},
		}}),
		KeyExpires: observe.Absent[time.Time](),
	}
	entry(&w, registry.Complete)
	a := applied()
	w.Render, w.Nine, w.AuthReceipt, w.Fresh = observe.Known(a.render), a.nine, observe.Known(a.auth), observe.Known(a.fresh)
	workload, _ := w.Nine[observe.Workload].Get()
	w.Pods = observe.Known([]observe.Pod{{
		Name: "lab-gw-0", UID: uid(30), Owner: workload.UID, ServiceAccount: "lab-gw", Ready: true,
		Labels:    map[string]string{"tsunaro.io/gateway-uid": uid(1), "tsunaro.io/state-uid": uid(3)},
		Preflight: observe.Passed, Tailscale: observe.Started, Template: workload.Template,
	}})
	return w
}

// application is what an engine has applied, judged, and the receipts about it.
type application struct {
	render observe.Render
	nine   observe.Nine
	auth   observe.AuthRecord
	fresh  observe.Completion
}

// applied goes from the bytes of the texts to the bytes of the nine and back.
var applied = sync.OnceValue(func() application {
	var t testing.T
	g, tailnet := decoded[v1alpha1.TailnetGateway](&t, gatewayText), decoded[v1alpha1.Tailnet](&t, tailnetText)
	a := application{render: observe.RenderOf(g, tailnet, decoded[corev1.ConfigMap](&t, hostsText), nil)}
	state := observe.Known(observe.State{Object: observe.Object{UID: uid(3), Created: start}})
	a.judge(g, state, observe.Absent[observe.Completion]())
	a.record(g, tailnet)
	a.judge(g, state, observe.Known(a.fresh))
	return a
})

func (a *application) judge(g *v1alpha1.TailnetGateway, state observe.Fact[observe.State], fresh observe.Fact[observe.Completion]) {
	set, err := verify.Bind(*a.render.Gateway, uid(1), uid(3))
	if err != nil {
		panic(err)
	}
	binding := observe.Bind(g, observe.Known(a.render), state, fresh)
	for i, name := range observe.Names(g, namespace) {
		live, err := verify.Decode(name.Kind, set[i].JSON)
		if err != nil {
			panic(err)
		}
		live.SetUID(types.UID(uid(20 + i)))
		live.SetCreationTimestamp(metav1.NewTime(start))
		if s, ok := live.(*corev1.Service); ok && s.Spec.Type == corev1.ServiceTypeLoadBalancer {
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "10.99.0.53"}}
		}
		a.nine[i] = observe.Known(binding.Judge(i, name, live))
	}
}

// record writes the two receipts.
func (a *application) record(g *v1alpha1.TailnetGateway, tailnet *v1alpha1.Tailnet) {
	expires := start.Add(24 * time.Hour)
	about := observe.Object{UID: uid(5), Revision: "14", Immutable: true, Labels: map[string]string{"tsunaro.io/gateway-uid": uid(1)}}
	a.auth = observe.AuthRecord{Object: about, Receipt: receipt.Auth{
		Gateway: receipt.GatewayScope(g), Tailnet: receipt.TailnetScope(tailnet), KeyID: "5", Expires: expires,
		Secret: receipt.Secret{Name: "lab-gw-auth", UID: uid(4), Revision: "13"},
	}}
	about.UID = uid(6)
	a.fresh = observe.Completion{Object: about, Receipt: receipt.Completion{
		Rule: receipt.CurrentRule, RenderFormat: 1, KeyID: "5", Expires: expires,
		Gateway: receipt.GatewaySubject(g), Tailnet: receipt.TailnetSubject(tailnet),
		State: receipt.Reference{Name: "lab-gw-state", UID: uid(3)}, Auth: receipt.Reference{Name: "lab-gw-auth-receipt", UID: uid(5)},
	}}
	for i, name := range observe.Names(g, namespace) {
		m, _ := a.nine[i].Get()
		a.fresh.Receipt.Objects = append(a.fresh.Receipt.Objects, receipt.Object{Kind: name.Kind, Name: name.Name, UID: m.UID, Digest: m.Digest})
	}
}

func entry(w *observe.World, phase registry.Phase) {
	e := registry.Entry{GatewayUID: uid(1), StateUID: uid(3), Phase: phase}
	if phase == registry.Minting {
		e.MintExpires = start.Add(24 * time.Hour)
	}
	w.Registry = observe.Known(observe.Registry{Revision: "9", Data: registry.With(nil, "lab-gw", e)})
}

// bootstrapping takes away what only a completed gateway has.
func bootstrapping(phase registry.Phase) func(*observe.World) {
	return func(w *observe.World) {
		w.Auth, w.AuthReceipt, w.Fresh = observe.Absent[observe.Object](), observe.Absent[observe.AuthRecord](), observe.Absent[observe.Completion]()
		w.Nodes = observe.Known([]node.Node(nil))
		edit(&w.State, func(s *observe.State) { s.Content, s.Readable, s.Identity = proof.Empty, false, proof.State{} })
		edit(&w.Pods, func(p *[]observe.Pod) {
			*p = slices.Clone(*p)
			(*p)[0].Ready, (*p)[0].Tailscale = false, observe.Waiting
		})
		entry(w, phase)
	}
}

func edit[T any](f *observe.Fact[T], change func(*T)) {
	v, _ := f.Get()
	change(&v)
	*f = observe.Known(v)
}

func member(i int, change func(*observe.Member)) func(*observe.World) {
	return func(w *observe.World) { edit(&w.Nine[i], change) }
}

func pod(change func(*observe.Pod)) func(*observe.World) {
	return func(w *observe.World) {
		edit(&w.Pods, func(p *[]observe.Pod) { *p = slices.Clone(*p); change(&(*p)[0]) })
	}
}

func registered(change func(*node.Node)) func(*observe.World) {
	return func(w *observe.World) {
		edit(&w.Nodes, func(n *[]node.Node) { *n = slices.Clone(*n); change(&(*n)[0]) })
	}
}

func gateway(change func(*v1alpha1.TailnetGateway)) func(*observe.World) {
	return func(w *observe.World) { g, _ := w.Gateway.Get(); change(g) }
}

func all(changes ...func(*observe.World)) func(*observe.World) {
	return func(w *observe.World) {
		for _, c := range changes {
			c(w)
		}
	}
}
