//go:build lab && linux

package crash

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// gateway is one of a place. Name, tag, zone, addresses and the name of the DNS
// Service are its own.
type gateway struct {
	*place
	name, tag string
	resource  string // the TailnetGateway
	nine      string // as rendered: unbound
	end       string // the reason of Ready when all is done
	lapsed    int    // keys that were made for nothing, and have expired
}

// numbers counts them.
var numbers atomic.Int32

// ofPlace are the custom resources that a place's gateways share.
const ofPlace = `
apiVersion: v1
kind: ConfigMap
metadata: {name: tailnet-dns-hosts, namespace: $NAMESPACE, labels: {tsunaro.io/tailnet: $TAILNET}}
data: {hosts: ""}
---
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: $TAILNET}
spec:
  operatorNamespace: $NAMESPACE
  controlURL: $CONTROL
  apiURL: $API
  caBundleConfigMapRef: {name: headscale-ca}
`

const ofGateway = `
---
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata: {name: $NAME}
spec:
  suspend: false
  tailnetRef: {name: $TAILNET}
  tags: ["$TAG"]
  routes: {lan: [10.50.$HIGH.$LOW/32]}
  tailnetLBCIDR: 10.99.0.0/16
  loadBalancerIP: 10.99.$HIGH.$LOW
  pod: $POD
  dns:
    zone: $NAME.example
    serviceName: $NAME-dns
    clusterIP: $DNS
`

// Pods of gateways: one that runs, and one that no node takes. The first forwards
// because a new network namespace does not.
const (
	running = `{sysctls: [{name: net.ipv4.ip_forward, value: "1"}]}`
	nobodys = `{nodeSelector: {nobody: has-it}}`
)

// resources are those that the place's gateways share.
func (p *place) resources() string {
	return strings.NewReplacer("$TAILNET", p.tailnet, "$NAMESPACE", p.Namespace, "$CONTROL", lab.HeadscaleURL, "$API", p.HeadscaleURL).Replace(ofPlace)
}

// newGateway renders the next gateway of a place.
func (p *place) newGateway(pod string) *gateway {
	p.Helper()
	n := int(numbers.Add(1))
	const perRow = 200
	high, low := n/perRow, n%perRow+10
	g := &gateway{place: p, name: fmt.Sprintf("gw-%d", n), tag: fmt.Sprintf("tag:gw-%d", n), end: api.ReasonFreshRuntimeReady}
	if pod == nobodys {
		g.end = api.ReasonRuntimeNotReady // it is complete
	}
	g.resource = strings.NewReplacer(
		"$TAILNET", p.tailnet, "$NAME", g.name, "$TAG", g.tag, "$POD", pod,
		"$HIGH", fmt.Sprint(high), "$LOW", fmt.Sprint(low), "$DNS", labtest.ServiceIP(n),
	).Replace(ofGateway)
	docs, findings := document.Parse("", []byte(p.resources()+g.resource))
	if len(findings) > 0 {
		p.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		p.Fatal(err)
	}
	var nine strings.Builder
	for _, o := range out.Objects() {
		nine.WriteString("---\n" + string(o.JSON) + "\n")
	}
	g.nine = nine.String()
	return g
}

// apply is what an engine does. The error is kubectl's.
func (p *place) apply(ctx context.Context, manifest string) error {
	r, err := p.Lab.Access.Kubectl(ctx, apiserver.Person, manifest, "apply", "--server-side", "-f", "-")
	if err == nil && r.Code != 0 {
		err = errors.New(r.Stderr)
	}
	return err
}

// commit is what a push to Git leads to: the engine applies the custom resources,
// and the nine as soon as the gateway says that it is bound.
func (g *gateway) commit() {
	g.Helper()
	g.declare()
	g.Background(g.engine)
}

// declare applies the custom resources.
func (g *gateway) declare() {
	g.Helper()
	if err := g.apply(g.Context(), g.resources()+g.resource); err != nil {
		g.Fatal(err)
	}
}

// engine applies the nine once for every state Secret that the gateway is bound to.
// What is refused, it tries again.
func (g *gateway) engine(ctx context.Context) {
	applied := ""
	poll(ctx, func() bool {
		if !g.bound(ctx) {
			return false
		}
		e, err := g.entry(ctx)
		if err == nil && e.Phase == registry.Open && e.StateUID != applied && g.apply(ctx, g.nine) == nil {
			applied = e.StateUID
		}
		return false
	})
}

// bound reports whether the gateway's status lets an engine create the nine.
func (g *gateway) bound(ctx context.Context) bool {
	var cr v1alpha1.TailnetGateway
	_, err := g.Find(ctx, g.name, &cr)
	return err == nil && apimeta.IsStatusConditionTrue(cr.Status.Conditions, api.ConditionBound)
}

// entry is the gateway's entry in the registry; the zero one where there is none.
func (g *gateway) entry(ctx context.Context) (registry.Entry, error) {
	var m corev1.ConfigMap
	if _, err := g.Find(ctx, api.BindingsName, &m); err != nil {
		return registry.Entry{}, err
	}
	e, _, err := registry.Read(m.Data, g.name)
	return e, err
}

// ready is the gateway's condition Ready, if the minter has seen its present
// generation.
func (g *gateway) ready(ctx context.Context) (*metav1.Condition, error) {
	var cr v1alpha1.TailnetGateway
	if _, err := g.Find(ctx, g.name, &cr); err != nil {
		return nil, err
	}
	c := apimeta.FindStatusCondition(cr.Status.Conditions, api.ConditionReady)
	if c == nil || c.ObservedGeneration != cr.Generation {
		return nil, fmt.Errorf("the minter has not seen it")
	}
	return c, nil
}

// state is the UID of the state Secret; "" where there is none.
func (g *gateway) state() string {
	g.Helper()
	var s corev1.Secret
	if _, err := g.Find(g.Context(), api.StateSecretName(g.name), &s); err != nil {
		g.Fatal(err)
	}
	return string(s.UID)
}
