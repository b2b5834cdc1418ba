package rewrite_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/rewrite"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

const (
	namespace   = "tsunaro-system"
	freshName   = "ConfigMap/tsunaro-system/lab-gw-fresh"
	stageName   = freshName + "-next"
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
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53, extraZones: [{zone: corp.example, upstreams: ["192.168.10.2"]}]}
`
	tailnetText = `
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home, uid: 00000000-0000-4000-8000-000000000002, generation: 1, resourceVersion: "11"}
spec: {controlURL: https://headscale.example}
`
)

var start = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func uid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func decoded[T any](text string) *T {
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		panic(err)
	}
	return &v
}

// texts are decoded once, and copied for each test.
var texts = sync.OnceValues(func() (*v1alpha1.TailnetGateway, *v1alpha1.Tailnet) {
	return decoded[v1alpha1.TailnetGateway](gatewayText), decoded[v1alpha1.Tailnet](tailnetText)
})

// labels are those of the minter's records.
func labels() map[string]string {
	return map[string]string{"tsunaro.io/gateway-uid": uid(1), "tsunaro.io/state-uid": uid(3)}
}

// set is the nine as an engine has made them, from the bytes of their rendering, a
// serial on.
var set = sync.OnceValue(func() []verify.Live {
	g, t := texts()
	hosts := &corev1.ConfigMap{Data: map[string]string{"hosts": "192.168.10.7 app.lab.example\n"}}
	hosts.Name, hosts.Namespace, hosts.Labels = "tailnet-dns-hosts", namespace, map[string]string{api.LabelTailnet: "home"}
	r := observe.RenderOf(g, t, hosts, nil)
	bound, err := verify.Bind(*r.Gateway, uid(1), uid(3))
	if err != nil {
		panic(err)
	}
	var nine []verify.Live
	for i, o := range bound {
		live, err := verify.Decode(o.Kind, o.JSON)
		if err != nil {
			panic(err)
		}
		live.SetUID(types.UID(uid(10 + i)))
		nine = append(nine, live)
	}
	return nine
})

// world is a gateway in service whose receipt is under a rule.
func world(rule int) rewrite.World {
	g, t := texts()
	g, t = g.DeepCopy(), t.DeepCopy()
	w := rewrite.World{Stage: observe.Absent[observe.Completion]()}
	w.Now, w.Namespace, w.Gateway, w.Tailnet = start, namespace, observe.Known(g), observe.Known(t)
	w.FreshNext = observe.Absent[observe.Object]()
	w.Registry = observe.Known(observe.Registry{Revision: "9", Data: registry.With(nil, "lab-gw", registry.Entry{GatewayUID: uid(1), StateUID: uid(3), Phase: registry.Complete})})
	w.State = observe.Known(observe.State{Object: observe.Object{UID: uid(3), Revision: "3", Labels: labels()}})
	w.Auth = observe.Known(observe.Object{UID: uid(4), Revision: "4", Immutable: true, Labels: labels()})
	auth := receipt.Auth{
		Gateway: receipt.GatewayScope(g), Tailnet: receipt.TailnetScope(t),
		Secret: receipt.Secret{Name: "lab-gw-auth", UID: uid(4), Revision: "4"}, KeyID: "5", Expires: start,
	}
	w.AuthReceipt = observe.Known(observe.AuthRecord{Object: observe.Object{UID: uid(5), Revision: "5", Immutable: true, Labels: labels()}, Receipt: auth})
	c := receipt.Completion{
		Rule: rule, RenderFormat: 1, Gateway: receipt.GatewaySubject(g), Tailnet: receipt.TailnetSubject(t),
		State: receipt.Reference{Name: "lab-gw-state", UID: uid(3)}, Auth: receipt.Reference{Name: "lab-gw-auth-receipt", UID: uid(5)},
		KeyID: "5", Expires: start,
	}
	for i, o := range observe.Names(g, namespace) {
		live := set()[i]
		now, err := verify.Digest(live)
		former, errToo := verify.FormerDigest(live)
		if err != nil || errToo != nil {
			panic(o)
		}
		w.Nine[i], w.Former[i] = observe.Known(observe.Member{UID: uid(10 + i), Digest: now}), former
		recorded := receipt.Object{Kind: o.Kind, Name: o.Name, UID: uid(10 + i), Digest: now}
		if rule == receipt.RuleV010 {
			recorded.Digest = former
		}
		c.Objects = append(c.Objects, recorded)
	}
	w.Fresh = observe.Known(stored(6, c))
	return w
}

// stored is a receipt as it is read back.
func stored(n int, c receipt.Completion) observe.Completion {
	c, err := receipt.DecodeCompletion(c.Encode())
	if err != nil {
		panic(err)
	}
	return observe.Completion{Object: observe.Object{UID: uid(n), Revision: fmt.Sprint(n), Immutable: true, Labels: labels()}, Receipt: c}
}

// at is the world before a step of a rewrite.
func at(do verdict.Action) rewrite.World {
	w := world(receipt.RuleV010)
	next, _ := world(receipt.CurrentRule).Fresh.Get()
	stage := next
	stage.UID, stage.Revision = uid(7), "7"
	switch do {
	case rewrite.StageReceipt:
	case rewrite.DeleteReceipt:
		w.Stage = observe.Known(stage)
	case rewrite.PromoteReceipt:
		w.Stage, w.Fresh = observe.Known(stage), observe.Absent[observe.Completion]()
	case rewrite.DropStage:
		w.Stage, w.Fresh = observe.Known(stage), observe.Known(next)
	}
	return w
}

// edit changes a fact's value, which is made anew for each world.
func edit[T any](f *observe.Fact[T], change func(*T)) {
	v, _ := f.Get()
	change(&v)
	*f = observe.Known(v)
}

func gatewayIn(w *rewrite.World) *v1alpha1.TailnetGateway { g, _ := w.Gateway.Get(); return g }
func tailnetIn(w *rewrite.World) *v1alpha1.Tailnet        { t, _ := w.Tailnet.Get(); return t }

// spoken sees to it that a verdict can be told with the table of conditions.
func spoken(t *testing.T, v verdict.Verdict) {
	t.Helper()
	row, ok := api.FindCondition(api.KindTailnetGateway, api.ConditionReady, v.Reason)
	if text := row.Message(v.Values); !ok || strings.ContainsAny(text, "{}") {
		t.Errorf("%s: %s", v.Reason, text)
	}
}
