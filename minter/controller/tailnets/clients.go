package tailnets

import (
	"cmp"
	"context"
	"sync"
	"time"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Clients has one client per Tailnet, with the minter's working key. It may be
// used concurrently.
type Clients struct {
	cluster *kube.Cluster
	base    headscale.Options // but for what the Tailnet says

	// observe returns the observer of a Tailnet's requests; it may be nil.
	observe func(tailnet string) func(headscale.Op, headscale.Class, time.Duration)

	mu    sync.Mutex
	built map[string]built // by Tailnet
}

// built is a client and what it was made of.
type built struct {
	target target
	key    sealed.Bytes
	client *headscale.Client
}

// target is which Headscale a Tailnet means.
type target struct {
	url       string
	allowHTTP bool
	ca        string // PEM; empty: the system's roots
}

// NewClients makes an empty set. Base holds timeouts and the clock; its URL, roots,
// key and observer are not used. Observe returns whom a Tailnet's requests are
// told to, and may be nil.
func NewClients(cluster *kube.Cluster, base headscale.Options, observe func(tailnet string) func(headscale.Op, headscale.Class, time.Duration)) *Clients {
	return &Clients{cluster: cluster, base: base, observe: observe, built: map[string]built{}}
}

// For returns the client for what the API server says now: CA bundle and working
// key are read each time, and the client is the same as long as they are. It is
// absent where one of the two is missing or of no use, where the Secret is not the
// minter's, and for a Tailnet of another operator namespace (RN-12). Whether
// Headscale takes the key only a request can tell.
func (c *Clients) For(ctx context.Context, t *v1alpha1.Tailnet) observe.Fact[*headscale.Client] {
	if !c.ours(t) {
		return observe.Absent[*headscale.Client]()
	}
	ca, secret := caBundle(ctx, c.cluster, t), workingKey(ctx, c.cluster, t.Name)
	switch {
	case ca.Unknown():
		return observe.Unknown[*headscale.Client](ca.Class())
	case secret.Unknown():
		return observe.Unknown[*headscale.Client](secret.Class())
	}
	pem, haveCA := ca.Get()
	s, haveKey := secret.Get()
	if !haveCA || !haveKey || !s.Of(t.Name) {
		return observe.Absent[*headscale.Client]()
	}
	client, err := c.client(t.Name, targetOf(t, pem), s.Key)
	if err != nil {
		return observe.Absent[*headscale.Client]()
	}
	return observe.Known(client)
}

// client returns the kept client of a Tailnet, or makes the next one.
func (c *Clients) client(name string, at target, key sealed.Bytes) (*headscale.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.built[name]
	if ok && old.target == at && old.key.Equal(key) {
		return old.client, nil
	}
	client, err := c.make(name, at, key)
	if err != nil {
		return nil, err
	}
	if ok {
		old.client.Close()
	}
	c.built[name] = built{at, key, client}
	return client, nil
}

// make makes a client that is not kept.
func (c *Clients) make(name string, at target, key sealed.Bytes) (*headscale.Client, error) {
	o := c.base
	o.URL, o.AllowHTTP, o.CAPEM, o.Key = at.url, at.allowHTTP, []byte(at.ca), key
	if c.observe != nil {
		o.Observe = c.observe(name)
	}
	return headscale.New(o)
}

// kept returns the client that was made last, without a look at the API server:
// good enough to notice a change, not to decide.
func (c *Clients) kept(name string) (*headscale.Client, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.built[name]
	return b.client, ok
}

// forget drops the client of a Tailnet.
func (c *Clients) forget(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.built[name]; ok {
		b.client.Close()
		delete(c.built, name)
	}
}

func (c *Clients) ours(t *v1alpha1.Tailnet) bool {
	return cmp.Or(string(t.Spec.OperatorNamespace), api.DefaultOperatorNamespace) == c.cluster.Namespace
}

func targetOf(t *v1alpha1.Tailnet, pem string) target {
	return target{url: string(cmp.Or(t.Spec.APIURL, t.Spec.ControlURL)), allowHTTP: t.Spec.AllowHTTP, ca: pem}
}
