package teardown_test

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

const (
	namespace   = "tsunaro-system"
	gatewayText = `
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata: {name: lab-gw, uid: 00000000-0000-4000-8000-000000000001, generation: 3, resourceVersion: "10", finalizers: [other, tsunaro.io/gateway-teardown]}
spec:
  suspend: false
  deletionPolicy: Delete
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
)

// start is when each test begins, and expires when the key does.
var (
	start   = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	expires = start.Add(20 * time.Hour)
)

// Names that messages have.
const (
	inNamespace = "/tsunaro-system/"
	bindings    = "ConfigMap" + inNamespace + "tsunaro-bindings"
	freshName   = "ConfigMap" + inNamespace + "lab-gw-fresh"
	stageName   = freshName + "-next"
	recordName  = "ConfigMap" + inNamespace + "lab-gw-auth-receipt"
	authName    = "Secret" + inNamespace + "lab-gw-auth"
	stateName   = "Secret" + inNamespace + "lab-gw-state"
	setName     = "StatefulSet" + inNamespace + "lab-gw"
)

// uid is the n-th UID. 1 is the gateway, 2 its Tailnet, 3 the state, 4 GW-auth, 5
// its receipt, 6 GW-fresh, 7 its stage, and 10 to 18 the nine.
func uid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func decoded[T any](t testing.TB, text string) *T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return &v
}

// texts are decoded once, and copied for each test.
var texts = sync.OnceValues(func() (*v1alpha1.TailnetGateway, *v1alpha1.Tailnet) {
	t := &testing.T{}
	g := decoded[v1alpha1.TailnetGateway](t, gatewayText)
	g.DeletionTimestamp = &metav1.Time{Time: start}
	g.Status.NodeID = "7"
	return g, decoded[v1alpha1.Tailnet](t, tailnetText)
})

func gateway() *v1alpha1.TailnetGateway { g, _ := texts(); return g.DeepCopy() }
func tailnet() *v1alpha1.Tailnet        { _, t := texts(); return t.DeepCopy() }

// labels are those of the minter's records.
func labels() map[string]string {
	return map[string]string{"tsunaro.io/gateway-uid": uid(1), "tsunaro.io/state-uid": uid(3)}
}

// keys are those of the gateway's state.
var keys = proof.Keys{Machine: "mkey:" + strings.Repeat("1", 64), Node: "nodekey:" + strings.Repeat("2", 64)}

// ownNode is the gateway's node, offline as it is without its Pod.
func ownNode() node.Node {
	return node.Node{
		ID: "7", MachineKey: keys.Machine, NodeKey: keys.Node, Name: "lab-gw", GivenName: "lab-gw",
		Tags: []string{"tag:gateway"}, KeyID: "5", Addresses: []netip.Addr{netip.MustParseAddr("100.64.0.7")},
	}
}

// otherNode is a machine that is none of the gateway's business.
func otherNode(id node.ID) node.Node {
	return node.Node{
		ID: id, MachineKey: "mkey:" + strings.Repeat("3", 64), NodeKey: "nodekey:" + strings.Repeat("4", 64),
		Name: "laptop", GivenName: "laptop", KeyID: "1", Addresses: []netip.Addr{netip.MustParseAddr("100.64.0.8")},
	}
}

// completion is the receipt of the nine, as it is read back.
func completion(g *v1alpha1.TailnetGateway, t *v1alpha1.Tailnet) receipt.Completion {
	c := receipt.Completion{
		Rule: receipt.CurrentRule, RenderFormat: 1,
		Gateway: receipt.GatewaySubject(g), Tailnet: receipt.TailnetSubject(t),
		State: receipt.Reference{Name: "lab-gw-state", UID: uid(3)},
		Auth:  receipt.Reference{Name: "lab-gw-auth-receipt", UID: uid(5)},
		KeyID: "5", Expires: expires,
	}
	for i, o := range observe.Names(g, namespace) {
		c.Objects = append(c.Objects, receipt.Object{Kind: o.Kind, Name: o.Name, UID: uid(10 + i), Digest: strings.Repeat("a", 64)})
	}
	c, err := receipt.DecodeCompletion(c.Encode())
	if err != nil {
		panic(err)
	}
	return c
}

func authReceipt(g *v1alpha1.TailnetGateway, t *v1alpha1.Tailnet) receipt.Auth {
	return receipt.Auth{
		Gateway: receipt.GatewayScope(g), Tailnet: receipt.TailnetScope(t),
		Secret: receipt.Secret{Name: "lab-gw-auth", UID: uid(4), Revision: "4"},
		KeyID:  "5", Expires: expires,
	}
}

type v1Tailnet = v1alpha1.Tailnet
