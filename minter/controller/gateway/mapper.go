package gateway

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// mapper tells whom an object concerns.
type mapper struct {
	cache   client.Reader // the manager's, with the index waking
	cluster *kube.Cluster
	agenda  *agenda
	echoes  *echoes

	mu       sync.Mutex
	registry map[string]string            // as it was last seen
	unread   bool                         // it could not be read since
	sources  map[string]*corev1.ConfigMap // hosts sources as they were last seen, by Tailnet and name
}

// waking is the index of gateways by whatever wakes them.
const waking = "waking"

// The index's keys, by what they begin with.
const (
	byTailnet = "tailnet/" // that it refers to
	byUID     = "uid/"     // its own
	byGateway = "gateway/" // its own name
	byName    = "name/"    // of an object that is its own, or would be in its way
)

// keysOf are the keys of a gateway.
func keysOf(o client.Object) []string {
	g, ok := o.(*v1alpha1.TailnetGateway)
	if !ok {
		return nil
	}
	keys := []string{byTailnet + string(g.Spec.TailnetRef.Name), byUID + string(g.UID), byGateway + g.Name}
	for _, name := range names(g) {
		keys = append(keys, byName+name)
	}
	return keys
}

// names are those that an object would be in the way by.
func names(g *v1alpha1.TailnetGateway) []string {
	return []string{
		g.Name, g.Name + "-0", string(g.Spec.DNS.ServiceName), api.LBServiceName(g.Name), api.CoreDNSName(g.Name),
		api.AuthReceiptName(g.Name), api.FreshName(g.Name), api.FreshNextName(g.Name),
	}
}

// find returns the gateways of a key. They are the cache's own: nothing of them is to
// be changed. Without a cache there are none, and all are about to be looked at.
func (m *mapper) find(ctx context.Context, key string) []v1alpha1.TailnetGateway {
	var list v1alpha1.TailnetGatewayList
	if m.cache.List(ctx, &list, client.MatchingFields{waking: key}, client.UnsafeDisableDeepCopy) != nil {
		return nil
	}
	return list.Items
}

// named are the names of gateways that one of the keys is of.
func (m *mapper) named(ctx context.Context, keys ...string) (w wakes) {
	for _, key := range keys {
		for _, g := range m.find(ctx, key) {
			w.whole = append(w.whole, g.Name)
		}
	}
	return w
}

func (m *mapper) ofGateway(_ context.Context, o client.Object) wakes {
	return wakes{whole: []string{o.GetName()}}
}

// ofPeer wakes those that another gateway was, or may have been, in the way of: who is
// refused, and who is being looked at or waits. A complete one has what it claims: were
// it woken, an outage of a thousand nodes would have all of them read with every change
// of one.
func (m *mapper) ofPeer(ctx context.Context) (w wakes) {
	var list v1alpha1.TailnetGatewayList
	if m.cache.List(ctx, &list, client.UnsafeDisableDeepCopy) != nil {
		return w
	}
	var others []string
	for i := range list.Items {
		switch g := &list.Items[i]; {
		case verdict.Suspended(g):
		case refused(g):
			w.whole = append(w.whole, g.Name)
		case complete(g):
		default:
			others = append(others, g.Name)
		}
	}
	w.whole = append(w.whole, m.agenda.waiting(others)...)
	return w
}

// complete reports whether a gateway says that its set is.
func complete(g *v1alpha1.TailnetGateway) bool {
	c := apimeta.FindStatusCondition(g.Status.Conditions, api.ConditionBound)
	return c != nil && c.Reason == api.ReasonBindingComplete
}

// refused reports whether a gateway says that its spec, or what it names, is refused:
// another one may claim the same.
func refused(g *v1alpha1.TailnetGateway) bool {
	c := apimeta.FindStatusCondition(g.Status.Conditions, api.ConditionReady)
	return c != nil && c.Reason == api.ReasonSpecRefused
}

func (m *mapper) ofTailnet(ctx context.Context, o client.Object) wakes {
	return m.named(ctx, byTailnet+o.GetName())
}

func (m *mapper) ofEgress(ctx context.Context, o client.Object) (w wakes) {
	if e, ok := o.(*v1alpha1.TailnetEgress); ok {
		w = m.named(ctx, byTailnet+string(e.Spec.TailnetRef.Name))
	}
	return w
}

// ofObject wakes by what an object says about itself: whose it is, whose hosts
// source, whose Pod's name it has.
func (m *mapper) ofObject(ctx context.Context, o client.Object) wakes {
	labels := o.GetLabels()
	keys := []string{byName + o.GetName()}
	if uid := labels[api.LabelGatewayUID]; uid != "" {
		keys = append(keys, byUID+uid)
	}
	if gateway := labels[api.LabelGateway]; gateway != "" {
		keys = append(keys, byGateway+gateway)
	}
	w := m.named(ctx, append(keys, m.unowned(ctx, o)...)...)
	if o.GetName() == api.BindingsName {
		w.whole = append(w.whole, m.ofRegistry(ctx)...)
	}
	if tailnet := labels[api.LabelTailnet]; tailnet != "" {
		hosts := m.ofHosts(ctx, tailnet, o.GetName())
		w.whole, w.zone = append(w.whole, hosts.whole...), hosts.zone
	}
	return w
}

// ofRegistry wakes those whose entry has changed. Every gateway's life changes the
// registry several times, and is nobody else's business. Of one that could not be
// read, or could not be the last time, everybody's may have.
func (m *mapper) ofRegistry(ctx context.Context) (gateways []string) {
	fact := kube.Read[corev1.ConfigMap](ctx, m.cluster, api.BindingsName)
	var now map[string]string
	if c, ok := fact.Get(); ok {
		now = c.Data
	}
	m.mu.Lock()
	before, doubt := m.registry, m.unread || fact.Unknown()
	m.registry, m.unread = now, fact.Unknown()
	m.mu.Unlock()
	var list v1alpha1.TailnetGatewayList
	if m.cache.List(ctx, &list, client.UnsafeDisableDeepCopy) != nil {
		return nil
	}
	for i := range list.Items {
		if name := list.Items[i].Name; doubt || registry.Changed(before, now, name) {
			gateways = append(gateways, name)
		}
	}
	return gateways
}
