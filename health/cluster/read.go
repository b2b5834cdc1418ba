package cluster

import (
	"context"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/health/view"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/rules"
)

// Read reads everything about a gateway. Where its Tailnet does not tell where that
// lies, it stays unknown.
func (c *Cluster) Read(ctx context.Context, g *v1alpha1.TailnetGateway, now time.Time) view.Reading {
	r := view.Reading{Now: now, Gateway: g}
	r.Tailnet = get[v1alpha1.Tailnet](ctx, c, tailnets, "", string(g.Spec.TailnetRef.Name))
	t, ok := r.Tailnet.Get()
	if !ok {
		return r
	}
	r.Namespace = view.NamespaceOf(t)
	in, hosts := r.Namespace, view.HostsName(t)
	var all sync.WaitGroup
	all.Go(func() { r.Hosts = get[corev1.ConfigMap](ctx, c, configMaps, in, hosts) })
	all.Go(func() { r.Egresses = c.egresses(ctx, in) })
	all.Go(func() { r.Registry = get[corev1.ConfigMap](ctx, c, configMaps, in, api.BindingsName) })
	all.Go(func() { r.State = c.about(ctx, in, api.StateSecretName(g.Name)) })
	all.Go(func() { r.Fresh = get[corev1.ConfigMap](ctx, c, configMaps, in, api.FreshName(g.Name)) })
	all.Go(func() { r.Pod = get[corev1.Pod](ctx, c, pods, in, g.Name+"-0") })
	all.Go(func() { r.Minter = get[appsv1.Deployment](ctx, c, deployments, in, api.MinterName) })
	all.Go(func() { r.Lease = get[coordinationv1.Lease](ctx, c, leases, in, api.MinterName) })
	for i, name := range observe.Names(g, in) {
		all.Go(func() { r.Nine[i] = c.live(ctx, name) })
	}
	all.Wait()
	return r
}

// Glance reads what a list shows: the gateways, their Tailnets, and the minters of
// their namespaces. The error is that of Gateways.
func (c *Cluster) Glance(ctx context.Context, now time.Time) ([]view.Reading, error) {
	all, err := c.Gateways(ctx)
	if err != nil {
		return nil, err
	}
	readings := make([]view.Reading, len(all))
	known := map[string]observe.Fact[*v1alpha1.Tailnet]{}
	minters := map[string]view.Reading{}
	for i := range all {
		r := view.Reading{Now: now, Gateway: &all[i]}
		name := string(all[i].Spec.TailnetRef.Name)
		if _, ok := known[name]; !ok {
			known[name] = get[v1alpha1.Tailnet](ctx, c, tailnets, "", name)
		}
		r.Tailnet = known[name]
		t, ok := r.Tailnet.Get()
		if !ok {
			readings[i] = r
			continue
		}
		r.Namespace = view.NamespaceOf(t)
		if _, ok := minters[r.Namespace]; !ok {
			minters[r.Namespace] = view.Reading{
				Minter: get[appsv1.Deployment](ctx, c, deployments, r.Namespace, api.MinterName),
				Lease:  get[coordinationv1.Lease](ctx, c, leases, r.Namespace, api.MinterName),
			}
		}
		r.Minter, r.Lease = minters[r.Namespace].Minter, minters[r.Namespace].Lease
		readings[i] = r
	}
	return readings, nil
}

func (c *Cluster) egresses(ctx context.Context, namespace string) observe.Fact[[]v1alpha1.TailnetEgress] {
	all, err := list[v1alpha1.TailnetEgress](ctx, c, egresses, namespace)
	if err != nil {
		return observe.Unknown[[]v1alpha1.TailnetEgress](classOf(err))
	}
	return observe.Known(all)
}

// about is the metadata of a Secret. Its data are not asked for.
func (c *Cluster) about(ctx context.Context, namespace, name string) observe.Fact[metav1.ObjectMeta] {
	m, err := c.metadata.Resource(secrets).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return failed[metav1.ObjectMeta](err)
	}
	return observe.Known(m.ObjectMeta)
}

// live reads one of the nine as its typed struct.
func (c *Cluster) live(ctx context.Context, o rules.Object) observe.Fact[verify.Live] {
	u, err := c.objects.Resource(nine[o.Kind]).Namespace(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
	if err != nil {
		return failed[verify.Live](err)
	}
	data, err := u.MarshalJSON()
	if err != nil {
		return observe.Unknown[verify.Live](observe.Unreadable)
	}
	live, err := verify.Decode(o.Kind, data)
	if err != nil {
		return observe.Unknown[verify.Live](observe.Unreadable)
	}
	return observe.Known(live)
}
