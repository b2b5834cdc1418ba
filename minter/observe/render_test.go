package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

const (
	gatewayText = `
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata:
  name: lab-gw
  uid: 00000000-0000-4000-8000-000000000001
  resourceVersion: "7"
  generation: 2
  finalizers: [tsunaro.io/gateway-teardown]
  managedFields: [{manager: kubectl, operation: Apply}]
  annotations: {note: "${x}"}
spec:
  suspend: false
  tailnetRef: {name: home}
  tags: ["tag:gateway"]
  routes: {lan: [192.168.10.0/24]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53}
status: {nodeId: "7", ipv4: 100.64.0.7}
`
	tailnetText = `
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home, uid: 00000000-0000-4000-8000-000000000002}
spec: {controlURL: https://headscale.example}
`
	hostsText = `
apiVersion: v1
kind: ConfigMap
metadata: {name: tailnet-dns-hosts, namespace: tsunaro-system, labels: {tsunaro.io/tailnet: home}}
data: {hosts: "192.168.10.7 app.lab.example\n"}
`
	egressText = `
apiVersion: tsunaro.io/v1alpha1
kind: TailnetEgress
metadata: {name: nas, namespace: tsunaro-system}
spec: {tailnetRef: {name: home}, targets: [192.168.20.5]}
`
	namespace = "tsunaro-system"
	stateUID  = "00000000-0000-4000-8000-000000000003"
)

func render(t *testing.T, gateway, hosts string, egresses ...string) Render {
	t.Helper()
	var list []v1alpha1.TailnetEgress
	for _, e := range egresses {
		list = append(list, *decoded[v1alpha1.TailnetEgress](t, e))
	}
	var source *corev1.ConfigMap
	if hosts != "" {
		source = decoded[corev1.ConfigMap](t, hosts)
	}
	return RenderOf(decoded[v1alpha1.TailnetGateway](t, gateway), decoded[v1alpha1.Tailnet](t, tailnetText), source, list)
}

// A live gateway is rendered as it stands in Git: what a server adds, and a status
// that names a node, do not count.
//
// REQ: LC-19, RN-07, RN-08
func TestRenderOf(t *testing.T) {
	r := render(t, gatewayText, hostsText, egressText, strings.Replace(egressText, "{name: nas,", "{name: gone, deletionTimestamp: \"2026-11-29T12:00:00Z\",", 1))
	if len(r.Refused) > 0 || r.Gateway == nil || len(r.Gateway.Objects) != 9 {
		t.Fatalf("%v", r.Refused)
	}
	var routes []string
	for _, route := range r.Gateway.Plan.Routes {
		routes = append(routes, route.Prefix.String())
	}
	if !slices.Equal(routes, []string{"10.99.0.0/24", "192.168.10.0/24", "192.168.20.5/32"}) {
		t.Errorf("%v", routes)
	}
	if !strings.Contains(string(r.Gateway.Objects[3].JSON), "app.lab.example") {
		t.Error("the hosts are not in the zone")
	}
	for why, c := range map[string]struct {
		gateway, hosts, refused string
		comparable              bool
	}{
		"no hosts":        {gatewayText, "", "", true},
		"hosts of nobody": {gatewayText, strings.Replace(hostsText, ", labels: {tsunaro.io/tailnet: home}", "", 1), "hosts-owner", true},
		"no data":         {gatewayText, strings.Replace(hostsText, "\ndata:", "\nimmutable: false\n#", 1), "hosts-key", true},
		"a bad line":      {gatewayText, strings.Replace(hostsText, "192.168.10.7 ", "nonsense ", 1), "hosts-address", true},
		"a bad field":     {strings.Replace(gatewayText, "10.99.0.53", "10.98.0.53", 1), hostsText, "lb-in-cidr", false},
		"both":            {strings.Replace(gatewayText, "10.99.0.53", "10.98.0.53", 1), strings.Replace(hostsText, "tailnet: home", "tailnet: x", 1), "hosts-owner", false},
	} {
		r := render(t, c.gateway, c.hosts)
		refused := ""
		if len(r.Refused) > 0 {
			refused = string(r.Refused[0].Rule)
		}
		if refused != c.refused || (r.Gateway != nil) != c.comparable {
			t.Errorf("%s: %v, gateway %v", why, r.Refused, r.Gateway != nil)
		}
	}
}

// Names are those that are rendered, in their order.
func TestNames(t *testing.T) {
	r := render(t, gatewayText, hostsText)
	for i, name := range Names(decoded[v1alpha1.TailnetGateway](t, gatewayText), namespace) {
		if r.Gateway.Objects[i].Object != name {
			t.Errorf("%d: %s is rendered, and %s named", i, r.Gateway.Objects[i].Object, name)
		}
	}
}

// REQ: LC-19
func TestPeersOf(t *testing.T) {
	named := func(name, old, text string) v1alpha1.TailnetGateway {
		return *decoded[v1alpha1.TailnetGateway](t, strings.NewReplacer("name: lab-gw", "name: "+name, old, text).Replace(gatewayText))
	}
	gateways := []v1alpha1.TailnetGateway{
		named("lab-gw", "", ""), named("peer", "", ""), named("asleep", "suspend: false", "suspend: true"),
		named("broken", "10.99.0.53", "10.98.0.53"), named("lost", "name: home", "name: away"),
	}
	var names []string
	for _, p := range PeersOf("lab-gw", gateways, []v1alpha1.Tailnet{*decoded[v1alpha1.Tailnet](t, tailnetText)}) {
		names = append(names, p.Gateway.Name+" "+p.Gateway.LoadBalancer.String()+" "+p.Tailnet.OperatorNamespace)
	}
	if got := fmt.Sprint(names); got != "[peer 10.99.0.53 tsunaro-system asleep 10.99.0.53 tsunaro-system]" {
		t.Error(got)
	}
}

// live is one of the nine as an engine has applied it.
func live(t *testing.T, r Render, i int, change func(verify.Live)) verify.Live {
	t.Helper()
	set, err := verify.Bind(*r.Gateway, "00000000-0000-4000-8000-000000000001", stateUID)
	if err != nil {
		t.Fatal(err)
	}
	o, err := verify.Decode(set[i].Kind, set[i].JSON)
	if err != nil {
		t.Fatal(err)
	}
	o.SetUID("00000000-0000-4000-8000-000000000040")
	o.SetCreationTimestamp(metav1.NewTime(created))
	if change != nil {
		change(o)
	}
	return o
}

var created = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// Each of the nine is compared with a rendering that is bound to the state Secret,
// and after completion to the receipt's state.
//
// REQ: LC-15, LC-16, LC-22
func TestJudge(t *testing.T) {
	g := decoded[v1alpha1.TailnetGateway](t, gatewayText)
	r := render(t, gatewayText, hostsText)
	state := Known(State{Object: Object{UID: stateUID, Created: created}})
	names := Names(g, namespace)
	nothing := Absent[Completion]()

	digest := ""
	for why, c := range map[string]struct {
		render Fact[Render]
		state  Fact[State]
		change func(verify.Live)
		want   verify.State
	}{
		"same":        {Known(r), state, nil, verify.Same},
		"older":       {Known(r), Known(State{Object: Object{UID: stateUID, Created: created.Add(time.Second)}}), nil, verify.Older},
		"other state": {Known(r), Known(State{Object: Object{UID: "00000000-0000-4000-8000-000000000009"}}), nil, verify.WrongUID},
		"no state":    {Known(r), Absent[State](), nil, verify.WrongUID},
		"no render":   {Unknown[Render](Denied), state, nil, 0},
		"refused":     {Known(Render{}), state, nil, 0},
		"behind":      {Known(r), state, func(l verify.Live) { l.(*appsv1.StatefulSet).Spec.Template.Spec.Containers[0].Image = "x:1.2.3" }, verify.Behind},
		"different":   {Known(r), state, func(l verify.Live) { l.(*appsv1.StatefulSet).Spec.ServiceName = "x" }, verify.Different},
	} {
		m := Bind(g, c.render, c.state, nothing).Judge(Workload, names[Workload], live(t, r, Workload, c.change))
		if m.Result.State != c.want || m.Retained != 0 || m.UID != "00000000-0000-4000-8000-000000000040" || len(m.Digest) != 64 || m.Deleting {
			t.Errorf("%s: %d %q, %+v", why, m.Result.State, m.Result.Path, m)
		}
		if why == "same" {
			digest = m.Digest
		}
		if len(m.Template.Routes) != 2 || len(m.Template.Images) != 3 {
			t.Errorf("%s: %+v", why, m.Template)
		}
	}

	recorded := receipt.Object{Kind: "StatefulSet", Name: "lab-gw", UID: "00000000-0000-4000-8000-000000000040", Digest: digest}
	fresh := Completion{Receipt: receipt.Completion{State: receipt.Reference{UID: stateUID}, Objects: []receipt.Object{recorded}}}
	for why, c := range map[string]struct {
		state  Fact[State]
		change func(verify.Live)
		want   verify.State
	}{
		"same":             {state, nil, verify.Same},
		"without a state":  {Absent[State](), nil, verify.Same},
		"behind":           {state, func(l verify.Live) { l.(*appsv1.StatefulSet).Spec.Template.Spec.Containers[0].Image = "x:1.2.3" }, verify.Same},
		"drifted":          {state, func(l verify.Live) { l.(*appsv1.StatefulSet).Spec.ServiceName = "x" }, verify.Different},
		"replaced":         {state, func(l verify.Live) { l.SetUID("00000000-0000-4000-8000-000000000041") }, verify.Replaced},
		"not in the table": {state, nil, verify.Replaced},
	} {
		name := names[Workload]
		if why == "not in the table" {
			name.Name = "other"
		}
		m := Bind(g, Known(r), c.state, Known(fresh)).Judge(Workload, name, live(t, r, Workload, c.change))
		if m.Retained != c.want {
			t.Errorf("retained, %s: %d, want %d", why, m.Retained, c.want)
		}
	}

	broken := Known(Completion{Err: receipt.ErrCompletion})
	if m := Bind(g, Known(r), state, broken).Judge(Workload, names[Workload], live(t, r, Workload, nil)); m.Retained != 0 || m.Result.State != verify.Same {
		t.Errorf("a receipt that cannot be read: %+v", m)
	}
}

// REQ: UP-04
func TestAddresses(t *testing.T) {
	g := decoded[v1alpha1.TailnetGateway](t, gatewayText)
	r := render(t, gatewayText, hostsText)
	b := Bind(g, Known(r), Known(State{Object: Object{UID: stateUID}}), Absent[Completion]())
	m := b.Judge(6, Names(g, namespace)[6], live(t, r, 6, func(l verify.Live) {
		l.SetDeletionTimestamp(&metav1.Time{Time: created})
		l.(*corev1.Service).Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "10.99.0.54"}, {Hostname: "x"}, {IP: "10.99.0.53"}, {IP: "10.99.0.54"}}
	}))
	if !m.Deleting || m.Result.State != verify.Terminating || fmt.Sprint(m.Addresses) != "[10.99.0.53 10.99.0.54]" {
		t.Errorf("%+v", m)
	}
}

// Of a Service's labels those are others' that are neither this product's nor
// recorded as pool labels, whatever their values.
//
// REQ: UP-04, RN-04
func TestOthersLabels(t *testing.T) {
	g := decoded[v1alpha1.TailnetGateway](t, gatewayText)
	r := render(t, gatewayText, hostsText)
	b := Bind(g, Known(r), Known(State{Object: Object{UID: stateUID}}), Absent[Completion]())
	for recorded, want := range map[string]string{
		"":                             "[lb.example/pool lb.example/tier team]",
		"lb.example/pool":              "[lb.example/tier team]",
		"lb.example/pool,team":         "[lb.example/tier]",
		"lb.example/po":                "[lb.example/pool lb.example/tier team]",
		"team,lb.example/tier,another": "[lb.example/pool]",
	} {
		m := b.Judge(6, Names(g, namespace)[6], live(t, r, 6, func(l verify.Live) {
			for _, key := range []string{"team", "lb.example/tier", "lb.example/pool", "argocd.argoproj.io/instance"} {
				l.GetLabels()[key] = "x"
			}
			if recorded != "" {
				l.SetAnnotations(map[string]string{"tsunaro.io/pool-label-keys": recorded})
			}
		}))
		if got := fmt.Sprint(m.Others); got != want {
			t.Errorf("%q: %s, want %s", recorded, got, want)
		}
	}
}
