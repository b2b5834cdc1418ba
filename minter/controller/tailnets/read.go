package tailnets

import (
	"cmp"
	"context"
	"crypto/x509"
	"time"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/minter/tailnet"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// find reads a Tailnet, and of one of ours whether it is to be held.
func (r *Reconciler) find(ctx context.Context, name string) (observe.Fact[*v1alpha1.Tailnet], teardown.Holding) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	fact := kube.Read[v1alpha1.Tailnet](ctx, r.cluster, name)
	if t, ok := fact.Get(); ok && r.clients.ours(t) {
		return fact, r.hold(ctx, t)
	}
	return fact, teardown.Holding{}
}

// read reads a Tailnet's world. One that is refused is not read further: it does
// not say where to look. But where it goes its Secret goes, too.
func (r *Reconciler) read(ctx context.Context, t *v1alpha1.Tailnet, h teardown.Holding) tailnet.World {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	w := tailnet.World{
		Now: r.now(), Tailnet: t, Refused: observe.TailnetRefused(t), Memory: r.memory(t),
		InUse: h.InUse, Unread: h.Unread, Leaving: t.DeletionTimestamp != nil && h.Step.Do == verdict.RemoveFinalizer,
	}
	if len(w.Refused) > 0 {
		if w.Leaving {
			w.Secret = workingKey(ctx, r.cluster, t.Name)
		}
		return w
	}
	w.CABundle = caBundle(ctx, r.cluster, t)
	w.Hosts = hosts(ctx, r.cluster, t)
	w.Bootstrap = bootstrapKey(ctx, r.cluster, t)
	w.Secret = workingKey(ctx, r.cluster, t.Name)
	pem, ok := w.CABundle.Get()
	if s, there := w.Secret.Get(); ok && there && s.Of(t.Name) && s.Prefix != "" {
		c, err := r.clients.client(t.Name, targetOf(t, pem), s.Key)
		w.Answer = ask(ctx, c, err)
	} else if !w.CABundle.Unknown() && !w.Secret.Unknown() {
		r.clients.forget(t.Name) // or the gateways would go by what is no longer there
	}
	if !ok {
		return w
	}
	if minted := w.Memory.Minted; !minted.Key.Empty() {
		c, err := r.clients.make(t.Name, targetOf(t, pem), minted.Key)
		w.Proof = ask(ctx, c, err)
		if err == nil {
			c.Close()
		}
	}
	return w
}

// patience is how long an answer is waited for. Two fit in a pass, and leave time
// for the status.
const patience = 6 * time.Second

// ask asks for the list of API keys, which is also the proof that the client's key
// is taken. A key that cannot be sent, for which there is an error and no client,
// cannot be right.
func ask(ctx context.Context, c *headscale.Client, err error) tailnet.Answer {
	if err != nil {
		return tailnet.Answer{Reply: tailnet.Rejected}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	keys, err := c.APIKeys(ctx)
	switch class := headscale.ClassOf(err); class {
	case headscale.OK:
		a := tailnet.Answer{Reply: tailnet.Accepted}
		for _, k := range keys {
			a.Keys = append(a.Keys, tailnet.Listed{ID: k.ID, Prefix: k.Prefix, Expires: k.Expiration})
		}
		return a
	case headscale.Unauthorized:
		return tailnet.Answer{Reply: tailnet.Rejected}
	default:
		return tailnet.Answer{Reply: tailnet.Failing, Problem: problemOf(class)}
	}
}

func problemOf(c headscale.Class) tailnet.Problem {
	switch c {
	case headscale.Unreachable, headscale.Timeout:
		return tailnet.NoConnection
	case headscale.TLS:
		return tailnet.NotTrusted
	case headscale.NotHeadscale, headscale.TooLarge:
		return tailnet.NotHeadscale
	default:
		return tailnet.Errs
	}
}

// caBundle is the text of the CA bundle: empty where the Tailnet names none,
// absent where it names one that is not there, or that holds no certificate.
func caBundle(ctx context.Context, c *kube.Cluster, t *v1alpha1.Tailnet) observe.Fact[string] {
	ref := t.Spec.CABundleConfigMapRef
	if ref == nil {
		return observe.Known("")
	}
	return part(kube.Read[corev1.ConfigMap](ctx, c, string(ref.Name)), func(m *corev1.ConfigMap) (string, bool) {
		text := m.Data[cmp.Or(string(ref.Key), api.DefaultCAKey)]
		return text, x509.NewCertPool().AppendCertsFromPEM([]byte(text))
	})
}

func hostsName(t *v1alpha1.Tailnet) string {
	return cmp.Or(string(t.Spec.DNS.HostsConfigMapRef.Name), api.DefaultHostsName)
}

func hosts(ctx context.Context, c *kube.Cluster, t *v1alpha1.Tailnet) observe.Fact[struct{}] {
	key := cmp.Or(string(t.Spec.DNS.HostsConfigMapRef.Key), api.DefaultHostsKey)
	return part(kube.Read[corev1.ConfigMap](ctx, c, hostsName(t)), func(m *corev1.ConfigMap) (struct{}, bool) {
		_, there := m.Data[key]
		return struct{}{}, there && m.Labels[api.LabelTailnet] == t.Name
	})
}

func bootstrapKey(ctx context.Context, c *kube.Cluster, t *v1alpha1.Tailnet) observe.Fact[tailnet.Bootstrap] {
	name, key := tailnet.BootstrapRef(t)
	return part(kube.Read[corev1.Secret](ctx, c, name), func(s *corev1.Secret) (tailnet.Bootstrap, bool) {
		b := tailnet.Bootstrap{Key: sealed.New(s.Data[key])}
		b.Prefix, _ = headscale.APIKeyPrefix(b.Key)
		return b, !b.Key.Empty()
	})
}

func workingKey(ctx context.Context, c *kube.Cluster, name string) observe.Fact[tailnet.Secret] {
	return part(kube.Read[corev1.Secret](ctx, c, api.WorkingKeySecretName(name)), func(s *corev1.Secret) (tailnet.Secret, bool) {
		k := tailnet.SecretOf(s)
		k.Prefix, _ = headscale.APIKeyPrefix(k.Key)
		return k, true
	})
}

// part is a fact about an object as one about a part of it, which is absent where
// ok is false.
func part[T, U any](f observe.Fact[T], of func(T) (u U, ok bool)) observe.Fact[U] {
	switch o, known := f.Get(); {
	case known:
		if u, ok := of(o); ok {
			return observe.Known(u)
		}
		return observe.Absent[U]()
	case f.Absent():
		return observe.Absent[U]()
	default:
		return observe.Unknown[U](f.Class())
	}
}
