package gateway

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/concern"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// ofHosts wakes the Tailnet's gateways whose zone a ConfigMap that says it is the
// Tailnet's may have changed. Who was found in sync with the text before, and has no
// zone with a name on a changed line, is left alone; whoever is in doubt is woken.
func (m *mapper) ofHosts(ctx context.Context, tailnet, name string) (w wakes) {
	now, there := kube.Read[corev1.ConfigMap](ctx, m.cluster, name).Get()
	before := m.seen(tailnet+"/"+name, now)
	if !there || before == nil {
		return m.named(ctx, byTailnet+tailnet)
	}
	if before.UID == now.UID && before.ResourceVersion == now.ResourceVersion {
		return wakes{} // who was concerned has been woken
	}
	changes, alike := between(before, now)
	for _, g := range m.find(ctx, byTailnet+tailnet) {
		if m.agenda.behind(g.Name, before.ResourceVersion, now.ResourceVersion, !alike || concerned(changes, &g)) {
			w.zone = append(w.zone, g.Name)
		}
	}
	return w
}

// unowned are the keys of the Tailnets that name an object as their hosts source
// though it does not say that it is theirs: the conditions tell one from none.
func (m *mapper) unowned(ctx context.Context, o client.Object) (keys []string) {
	var list v1alpha1.TailnetList
	if m.cache.List(ctx, &list, client.UnsafeDisableDeepCopy) != nil {
		return nil
	}
	for i := range list.Items {
		t := &list.Items[i]
		source := cmp.Or(string(t.Spec.DNS.HostsConfigMapRef.Name), api.DefaultHostsName)
		if source == o.GetName() && o.GetLabels()[api.LabelTailnet] != t.Name {
			keys = append(keys, byTailnet+t.Name)
		}
	}
	return keys
}

// seen returns a hosts source as it was seen before, and keeps what it is now: nil
// where it is gone, or could not be read.
func (m *mapper) seen(key string, now *corev1.ConfigMap) (before *corev1.ConfigMap) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sources == nil {
		m.sources = map[string]*corev1.ConfigMap{}
	}
	before = m.sources[key]
	delete(m.sources, key)
	if now != nil {
		m.sources[key] = now
	}
	return before
}

// between compares two revisions of a ConfigMap key by key. They are not alike where
// anything but a text has changed that makes it a hosts source.
func between(before, now *corev1.ConfigMap) (changes []concern.Change, alike bool) {
	if before.UID != now.UID || before.Labels[api.LabelTailnet] != now.Labels[api.LabelTailnet] || len(before.Data) != len(now.Data) {
		return nil, false
	}
	for key, text := range now.Data {
		was, ok := before.Data[key]
		if !ok {
			return nil, false
		}
		if was != text {
			changes = append(changes, concern.Between(was, text))
		}
	}
	return changes, true
}

func concerned(changes []concern.Change, g *v1alpha1.TailnetGateway) bool {
	zones := []string{string(g.Spec.DNS.Zone)}
	for _, e := range g.Spec.DNS.ExtraZones {
		zones = append(zones, string(e.Zone))
	}
	for _, c := range changes {
		if c.Concerns(zones...) {
			return true
		}
	}
	return false
}
