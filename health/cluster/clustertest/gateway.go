package clustertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/test/testbed/source"
)

// Names of the example home-lab, which the worlds are made of.
const (
	Gateway   = "lab-gw"
	Tailnet   = "home"
	Namespace = api.DefaultOperatorNamespace
)

// Now is when the worlds are looked at; the gateway is a day old then.
var Now = time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)

var created = Now.Add(-24 * time.Hour)

// UID is the nth UID. That of the gateway is the first, the Tailnet's the second, the
// state Secret's the third.
func UID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// Completed is a gateway that is complete and healthy, with everything around it.
func Completed(t testing.TB) World {
	t.Helper()
	w := World{Objects: map[string]map[string]any{}}
	inputs := map[string]map[string]any{}
	var docs []document.Document
	for _, name := range []string{"tailnet.yaml", "gateway.yaml", "hosts.yaml"} {
		data := example(t, name)
		d, findings := document.Parse("", data)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		docs = append(docs, d...)
		var tree map[string]any
		if err := yaml.Unmarshal(data, &tree); err != nil {
			t.Fatal(err)
		}
		inputs[tree["kind"].(string)] = tree
	}
	out, err := renderer.Render(docs)
	if err != nil {
		t.Fatal(err)
	}
	written(inputs["TailnetGateway"], UID(1), 3)
	written(inputs["Tailnet"], UID(2), 1)
	written(inputs["ConfigMap"], UID(7), 0)
	inputs["TailnetGateway"]["status"] = decode(t, encode(t, status()))
	inputs["Tailnet"]["status"] = decode(t, encode(t, tailnetStatus()))
	for _, tree := range inputs {
		w.Put(t, tree)
	}
	w.records(t, out.Gateways[0])
	w.workload(t)
	return w
}

func example(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(source.Path(t, filepath.Join("examples/home-lab", name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// written adds what an API server writes.
func written(tree map[string]any, uid string, generation int) {
	m := tree["metadata"].(map[string]any)
	m["uid"], m["resourceVersion"], m["creationTimestamp"] = uid, "11", created.Format(time.RFC3339)
	if generation > 0 {
		m["generation"] = generation
	}
}

// records are the nine, the receipt about them, the registry and the state Secret.
func (w World) records(t testing.TB, rendered renderer.Gateway) {
	t.Helper()
	set, err := verify.Bind(rendered, UID(1), UID(3))
	if err != nil {
		t.Fatal(err)
	}
	g, tailnet := typed[v1alpha1.TailnetGateway](t, w, "TailnetGateway", Gateway), typed[v1alpha1.Tailnet](t, w, "Tailnet", Tailnet)
	c := receipt.Completion{
		Rule: receipt.CurrentRule, RenderFormat: 1, KeyID: "5", Expires: created.Add(time.Hour),
		Gateway: receipt.GatewaySubject(g), Tailnet: receipt.TailnetSubject(tailnet),
		State: receipt.Reference{Name: api.StateSecretName(Gateway), UID: UID(3)}, Auth: receipt.Reference{Name: api.AuthReceiptName(Gateway), UID: UID(5)},
	}
	for i, o := range set {
		live := decode(t, o.JSON)
		written(live, UID(20+i), 0)
		if o.Name == api.LBServiceName(Gateway) {
			live["spec"].(map[string]any)["clusterIP"] = "10.96.7.7"
			live["status"] = map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "10.99.0.53"}}}}
		}
		w.Put(t, live)
		c.Objects = append(c.Objects, receipt.Object{Kind: o.Kind, Name: o.Name, UID: UID(20 + i), Digest: verify.RenderedDigest(o)})
	}
	fresh := configMap(api.FreshName(Gateway), UID(6), map[string]string{api.DataReceipt: string(c.Encode())})
	fresh["immutable"] = true
	fresh["metadata"].(map[string]any)["labels"] = map[string]any{api.LabelGatewayUID: UID(1)}
	w.Put(t, fresh)
	w.Put(t, configMap(api.BindingsName, UID(8), registry.With(nil, Gateway, c.Entry())))
	w.Put(t, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{
		"name": api.StateSecretName(Gateway), "namespace": Namespace, "uid": UID(3), "creationTimestamp": created.Format(time.RFC3339),
	}})
}

func typed[T any](t testing.TB, w World, kind, name string) *T {
	t.Helper()
	v := new(T)
	if err := yaml.Unmarshal(encode(t, w.Objects[path(kind, "", name)]), v); err != nil {
		t.Fatal(err)
	}
	return v
}

func configMap(name, uid string, data map[string]string) map[string]any {
	tree := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": data, "metadata": map[string]any{"name": name, "namespace": Namespace}}
	written(tree, uid, 0)
	return tree
}

// workload is the Pod that runs, and the minter.
func (w World) workload(t testing.TB) {
	t.Helper()
	set := w.Objects[path("StatefulSet", Namespace, Gateway)]
	template := set["spec"].(map[string]any)["template"].(map[string]any)
	running := func(name string) map[string]any {
		return map[string]any{"name": name, "ready": true, "state": map[string]any{"running": map[string]any{}}}
	}
	w.Put(t, map[string]any{
		"apiVersion": "v1", "kind": "Pod", "spec": with(template["spec"], "nodeName", "node-1"),
		"metadata": map[string]any{"name": Gateway + "-0", "namespace": Namespace, "uid": UID(30)},
		"status": map[string]any{
			"phase": "Running", "startTime": created.Add(time.Minute).Format(time.RFC3339),
			"conditions":        []any{map[string]any{"type": "Ready", "status": "True"}},
			"containerStatuses": []any{running("tailscale"), running("coredns")},
		},
	})
	w.Put(t, map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": api.MinterName, "namespace": Namespace},
		"status": map[string]any{"replicas": 2, "availableReplicas": 2},
	})
	w.Put(t, map[string]any{
		"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": map[string]any{"name": api.MinterName, "namespace": Namespace},
		"spec": map[string]any{"leaseDurationSeconds": 35, "renewTime": Now.Add(-5 * time.Second).Format(metav1.RFC3339Micro)},
	})
}

func with(tree any, key string, value any) map[string]any {
	out := map[string]any{}
	for k, v := range tree.(map[string]any) {
		out[k] = v
	}
	out[key] = value
	return out
}

// Said is a condition as the minter writes it.
func Said(kind, conditionType, reason string, values map[string]string) metav1.Condition {
	row, ok := api.FindCondition(kind, conditionType, reason)
	if !ok {
		panic(strings.Join([]string{"no row", conditionType, reason}, " "))
	}
	return metav1.Condition{
		Type: conditionType, Status: metav1.ConditionStatus(row.Status), Reason: reason, Message: row.Message(values),
		ObservedGeneration: 3, LastTransitionTime: metav1.NewTime(created.Add(2 * time.Minute)),
	}
}

func status() v1alpha1.TailnetGatewayStatus {
	say := func(conditionType, reason string, values map[string]string) metav1.Condition {
		return Said(api.KindTailnetGateway, conditionType, reason, values)
	}
	routes := []v1alpha1.Route{"10.99.0.0/24", "192.168.10.0/24"}
	return v1alpha1.TailnetGatewayStatus{
		ObservedGeneration: 3, NodeID: "7", IPv4: "100.64.0.7", ServiceIP: "10.99.0.53",
		AdvertisedRoutes: routes, ApprovedRoutes: routes, DNS: &v1alpha1.DNSStatus{Serial: 1, Names: 3},
		Conditions: []metav1.Condition{
			say(api.ConditionReady, api.ReasonFreshRuntimeReady, map[string]string{"pod": "lab-gw-0"}),
			say(api.ConditionBound, api.ReasonBindingComplete, nil),
			say(api.ConditionRegistered, api.ReasonNodeRegistered, map[string]string{"node": "7"}),
			say(api.ConditionRoutesInSync, api.ReasonApproved, nil),
			say(api.ConditionDNSReady, api.ReasonDNSInSync, map[string]string{"serial": "1"}),
			say(api.ConditionWorkloadCurrent, api.ReasonPodCurrent, map[string]string{"pod": "lab-gw-0"}),
			say(api.ConditionServiceReady, api.ReasonLoadBalancerAssigned, map[string]string{"object": "Service/tsunaro-system/lab-gw-lb", "addresses": "10.99.0.53"}),
			say(api.ConditionInSync, api.ReasonAsRendered, nil),
			say(api.ConditionStaleNodes, api.ReasonExternallyManaged, nil),
			say(api.ConditionClusterDNSForward, api.ReasonExternallyManaged, nil),
		},
	}
}

func tailnetStatus() v1alpha1.TailnetStatus {
	return v1alpha1.TailnetStatus{ObservedGeneration: 1, Conditions: []metav1.Condition{
		Said(api.KindTailnet, api.ConditionReady, api.ReasonTailnetReady, nil),
		Said(api.KindTailnet, api.ConditionAPIKey, api.ReasonKeyCurrent, nil),
	}}
}
