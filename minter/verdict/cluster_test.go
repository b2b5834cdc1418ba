package verdict_test

import (
	"fmt"
	"maps"
	"net/netip"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// cluster is an API server, an engine, a kubelet and a Headscale, as far as one
// gateway is concerned. It shares no code with the decisions: what a write does
// follows from the write alone.
type cluster struct {
	testing.TB
	now     time.Time
	serial  int // of UIDs and revisions
	engine  bool
	gateway *v1alpha1.TailnetGateway
	tailnet *v1alpha1.Tailnet
	render  observe.Render

	registry    *observe.Registry
	state       *observe.State
	auth        *secret
	authReceipt *observe.AuthRecord
	fresh       *observe.Completion
	nine        [objects.Count]*object
	pod         *observe.Pod
	keys        []*key
	nodes       []node.Node
	registered  int // nodes ever
	finalizer   int // how often the finalizers were written
}

type secret struct {
	observe.Object
	mint.Stored
}

type object struct {
	uid      string
	labels   [2]string // the UIDs of gateway and state
	created  time.Time
	deleting bool
	drift    verify.State // 0 if as rendered
}

// key is a pre-auth key at Headscale.
type key struct {
	id        node.ID
	text      string
	expires   time.Time
	forgotten bool // nobody knows its bytes any more
}

func newCluster(t testing.TB) *cluster {
	c := &cluster{
		TB: t, now: start, engine: true,
		gateway: decoded[v1alpha1.TailnetGateway](t, gatewayText),
		tailnet: decoded[v1alpha1.Tailnet](t, tailnetText),
		render:  rendered(),
	}
	for _, m := range []*metav1.ObjectMeta{&c.gateway.ObjectMeta, &c.tailnet.ObjectMeta} {
		m.UID, m.ResourceVersion, m.Generation = types.UID(c.next()), c.revision(), 1
	}
	return c
}

func (c *cluster) next() string     { c.serial++; return uid(c.serial) }
func (c *cluster) revision() string { c.serial++; return fmt.Sprint(c.serial) }

func (c *cluster) alive(k *key) bool { return c.now.Before(k.expires) }

// usable are the keys that could still make a node.
func (c *cluster) usable() (n int) {
	for _, k := range c.keys {
		if c.alive(k) && !k.forgotten {
			n++
		}
	}
	return n
}

// phase is that of the gateway's entry, "" without one.
func (c *cluster) phase() registry.Phase {
	if c.registry == nil {
		return ""
	}
	e, _, err := registry.Read(c.registry.Data, c.gateway.Name)
	if err != nil {
		c.Fatal(err)
	}
	return e.Phase
}

// read is one pass over everything.
func (c *cluster) read(a observe.Attempt) observe.World {
	w := observe.World{
		Now: c.now, Namespace: namespace, Attempt: a,
		Gateway: observe.Known(c.gateway.DeepCopy()), Tailnet: observe.Known(c.tailnet.DeepCopy()),
		Registry: fact(c.registry), State: fact(c.state), FreshNext: observe.Absent[observe.Object](),
		Auth: observe.Absent[observe.Object](), AuthReceipt: fact(c.authReceipt), Fresh: fact(c.fresh),
		Hosts: observe.Known(observe.Object{}), Render: observe.Known(c.render),
		Peers: observe.Known(peers(nil)), APIKey: observe.Known(observe.Accepted{}),
		Nodes: observe.Known(c.nodes), Pods: observe.Known(pods(c.pod)),
		KeyExpires: observe.Absent[time.Time](),
	}
	if c.registry != nil {
		w.Registry = observe.Known(observe.Registry{Revision: c.registry.Revision, Data: maps.Clone(c.registry.Data)})
	}
	if c.auth != nil {
		w.Auth = observe.Known(c.auth.Object)
	}
	if c.fresh != nil {
		for _, k := range c.keys {
			if k.id == c.fresh.Receipt.KeyID {
				w.KeyExpires = observe.Known(k.expires)
			}
		}
	}
	for i, o := range c.nine {
		w.Nine[i] = c.member(i, o)
	}
	return w
}

func fact[T any](v *T) observe.Fact[T] {
	if v == nil {
		return observe.Absent[T]()
	}
	return observe.Known(*v)
}

func pods(p *observe.Pod) []observe.Pod {
	if p == nil {
		return nil
	}
	return []observe.Pod{*p}
}

func (c *cluster) member(i int, o *object) observe.Fact[observe.Member] {
	if o == nil {
		return observe.Absent[observe.Member]()
	}
	name := c.names()[i]
	m := observe.Member{UID: o.uid, Deleting: o.deleting, Digest: strings.Repeat("a", 64), Result: verify.Result{Object: name, State: verify.Same}}
	m.Template = observe.Template{Images: map[string]string{"tailscale": "a", "coredns": "b"}, Routes: c.routes()}
	stateUID := ""
	if c.state != nil {
		stateUID = c.state.UID
	}
	if o.drift == verify.Different {
		m.Digest = strings.Repeat("b", 64)
	}
	switch {
	case o.labels != [2]string{string(c.gateway.UID), stateUID}:
		m.Result.State, m.Result.Path = verify.WrongUID, "metadata.labels[tsunaro.io/state-uid]"
	case c.state != nil && o.created.Before(c.state.Created):
		m.Result.State, m.Result.Path = verify.Older, "metadata.creationTimestamp"
	case o.drift != 0:
		m.Result.State, m.Result.Path = o.drift, "spec.here"
	}
	if c.fresh != nil {
		m.Retained = verify.Same
		recorded, ok := c.fresh.Receipt.Object(name.Kind, name.Name)
		switch {
		case !ok || recorded.UID != o.uid:
			m.Retained = verify.Replaced
		case recorded.Digest != m.Digest:
			m.Retained = verify.Different
		}
	}
	return observe.Known(m)
}

func (c *cluster) names() [objects.Count]rules.Object { return observe.Names(c.gateway, namespace) }

func (c *cluster) routes() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("10.99.0.0/24"), netip.MustParsePrefix("192.168.10.0/24")}
}
