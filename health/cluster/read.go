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

// Read reads everything about a gateway. Where its Tailnet does not tell the
// namespace, what lies in the default one is read.
func (c *Cluster) Read(ctx context.Context, g *v1alpha1.TailnetGateway, now time.Time) view.Reading {
	r := view.Reading{Now: now, Gateway: g, Namespace: api.DefaultOperatorNamespace}
	r.Tailnet = get[v1alpha1.Tailnet](ctx, c, tailnets, "", string(g.Spec.TailnetRef.Name))
	hosts := api.DefaultHostsName
	if t, ok := r.Tailnet.Get(); ok {
		r.Namespace, hosts = view.NamespaceOf(t), view.HostsName(t)
	}
	in := r.Namespace
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
