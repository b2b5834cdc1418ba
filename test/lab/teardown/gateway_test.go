//go:build lab && linux

package teardown

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// gateway is one of a place, which is to be deleted with everything that is its own.
type gateway struct {
	*place
	name, tag string
	manifest  labtest.Object // the TailnetGateway
	applied   string         // the state UID that its nine were created for

	uid  string  // of the TailnetGateway
	node node.ID // at Headscale
	key  node.ID // that was minted
}

// numbers counts them. Name, tag, zone, addresses and the name of the DNS Service
// are each one's own.
var numbers atomic.Int32

// newGateways are the next ones of a place. Nothing is applied yet.
func (p *place) newGateways(n int) (gs []*gateway) {
	for range n {
		gs = append(gs, p.newGateway())
	}
	return gs
}

func (p *place) newGateway() *gateway {
	p.Helper()
	n := int(numbers.Add(1))
	const perRow = 200
	high, low := n/perRow, n%perRow+10
	g := &gateway{place: p, name: fmt.Sprintf("gw-%d", n)}
	g.tag = "tag:" + g.name
	g.manifest = labtest.Object{
		"apiVersion": api.APIVersion, "kind": api.KindTailnetGateway, "metadata": labtest.Object{"name": g.name},
		"spec": labtest.Object{
			"suspend": false, "deletionPolicy": "Delete", "tailnetRef": labtest.Object{"name": p.tailnet}, "tags": []any{g.tag},
			"routes":        labtest.Object{"lan": []any{fmt.Sprintf("10.50.%d.%d/32", high, low)}},
			"tailnetLBCIDR": "10.99.0.0/16", "loadBalancerIP": fmt.Sprintf("10.99.%d.%d", high, low),
			"pod": labtest.Object{"nodeSelector": labtest.Object{"nobody": "has-it"}},
			"dns": labtest.Object{"zone": g.name + ".example", "serviceName": g.name + "-dns", "clusterIP": labtest.ServiceIP(n)},
		},
	}
	return g
}

// spec is what may be changed before the gateway is applied.
func (g *gateway) spec() labtest.Object { return g.manifest["spec"].(labtest.Object) }

// sources are what a place's gateways share: the hosts source and the Tailnet.
func (p *place) sources() []labtest.Object {
	return []labtest.Object{
		{
			"apiVersion": "v1", "kind": "ConfigMap", "data": labtest.Object{"hosts": ""},
			"metadata": labtest.Object{"name": api.DefaultHostsName, "namespace": p.Namespace, "labels": labtest.Object{api.LabelTailnet: p.tailnet}},
		},
		{
			"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": labtest.Object{"name": p.tailnet},
			"spec": labtest.Object{
				"operatorNamespace": p.Namespace, "controlURL": lab.HeadscaleURL, "apiURL": p.HeadscaleURL,
				"caBundleConfigMapRef": labtest.Object{"name": "headscale-ca"},
			},
		},
	}
}

// declare is what a push to Git leads to: the engine applies the custom resources,
// and the nine as soon as a gateway may have them.
func (p *place) declare(gs ...*gateway) {
	p.Helper()
	all := p.sources()
	for _, g := range gs {
		all = append(all, g.manifest)
	}
	if err := p.Put(p.Context(), apiserver.Person, all...); err != nil {
		p.Fatal(err)
	}
	for _, g := range gs {
		g.uid = string(g.cr().UID)
	}
}

// cr is the TailnetGateway, which is there.
func (g *gateway) cr() *v1alpha1.TailnetGateway {
	g.Helper()
	cr := &v1alpha1.TailnetGateway{}
	if found, err := g.Find(g.Context(), g.name, cr); err != nil || !found {
		g.Fatalf("%s: found %t, %v", g.name, found, err)
	}
	return cr
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

func (g *gateway) awaitPhase(want registry.Phase) {
	g.Helper()
	g.Await(fmt.Sprintf("%s is %s", g.name, want), func(ctx context.Context) error {
		e, err := g.entry(ctx)
		if err == nil && e.Phase != want {
			err = fmt.Errorf("it is %q", e.Phase)
		}
		return err
	})
}

// patch changes a gateway as a person does.
func (g *gateway) patch(ctx context.Context, patch string) error {
	cr := &v1alpha1.TailnetGateway{ObjectMeta: metav1.ObjectMeta{Name: g.name}}
	return shared.person.Patch(ctx, cr, client.RawPatch("application/merge-patch+json", []byte(patch)))
}

func (g *gateway) mustPatch(patch string) {
	g.Helper()
	if err := g.patch(g.Context(), patch); err != nil {
		g.Fatal(err)
	}
}

// retain takes the consent back.
const retain = `{"spec":{"deletionPolicy":"Retain"}}`

// delete deletes the TailnetGateway as a person does. With the consent it has its
// finalizer by then: one that is deleted sooner is simply gone.
func (g *gateway) delete() {
	g.Helper()
	if g.cr().Spec.DeletionPolicy == v1alpha1.DeletionDelete {
		g.awaitFinalizer(true)
	}
	if err := shared.person.Delete(g.Context(), &v1alpha1.TailnetGateway{ObjectMeta: metav1.ObjectMeta{Name: g.name}}); err != nil {
		g.Fatal(err)
	}
}

// awaitGone waits until the TailnetGateway is gone.
func (g *gateway) awaitGone() {
	g.Helper()
	g.Await(g.name+" is gone", g.isGone)
}

func (g *gateway) isGone(ctx context.Context) error {
	var cr v1alpha1.TailnetGateway
	found, err := g.Find(ctx, g.name, &cr)
	if err == nil && found && string(cr.UID) == g.uid {
		err = fmt.Errorf("it is there, %s", says(&cr))
	}
	return err
}

// says is the condition Ready for people.
func says(cr *v1alpha1.TailnetGateway) string {
	c := apimeta.FindStatusCondition(cr.Status.Conditions, api.ConditionReady)
	if c == nil {
		return "and says nothing"
	}
	return fmt.Sprintf("and says %s: %s (generation %d of %d)", c.Reason, c.Message, c.ObservedGeneration, cr.Generation)
}

// awaitSays waits until the condition Ready has a reason for the present generation,
// and returns its message.
func (g *gateway) awaitSays(reason string, texts ...string) (message string) {
	g.Helper()
	g.Await(fmt.Sprintf("%s says %s %q", g.name, reason, texts), func(ctx context.Context) error {
		var cr v1alpha1.TailnetGateway
		if found, err := g.Find(ctx, g.name, &cr); err != nil || !found {
			return fmt.Errorf("found %t, %v", found, err)
		}
		c := apimeta.FindStatusCondition(cr.Status.Conditions, api.ConditionReady)
		if c == nil || c.Reason != reason || c.ObservedGeneration != cr.Generation {
			return fmt.Errorf("it is there, %s", says(&cr))
		}
		for _, text := range texts {
			if !strings.Contains(c.Message, text) {
				return fmt.Errorf("it is there, %s", says(&cr))
			}
		}
		message = c.Message
		return nil
	})
	return message
}

// wakes numbers them.
var wakes atomic.Int32

// wake makes the minter look now at what nobody may watch, Secrets and Headscale: it
// would within seconds by itself.
func (g *gateway) wake() {
	g.Helper()
	g.mustPatch(fmt.Sprintf(`{"metadata":{"annotations":{"lab.example/wake":"%d"}}}`, wakes.Add(1)))
}
