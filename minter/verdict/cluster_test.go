package verdict_test

import (
	"fmt"
	"maps"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/minter/verdict"
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

// carryOut does what a step says, or says why not.
func (c *cluster) carryOut(s verdict.Step) verdict.Result {
	done, notDone := verdict.Result{Outcome: verdict.Done}, verdict.Result{Outcome: verdict.NotDone}
	switch s.Do {
	case verdict.AddFinalizer, verdict.RemoveFinalizer:
		if s.UID != string(c.gateway.UID) || s.Revision != c.gateway.ResourceVersion {
			return notDone
		}
		c.gateway.Finalizers = nil
		if s.Do == verdict.AddFinalizer {
			c.gateway.Finalizers = []string{"tsunaro.io/gateway-teardown"}
		}
		c.gateway.ResourceVersion = c.revision()
		c.finalizer++
		return done
	case verdict.RemoveForeignEntry, verdict.OpenEntry, verdict.SwapMinting, verdict.SwapComplete, verdict.RewriteEntry, verdict.CloseEntry:
		if (c.registry == nil) != (s.Revision == "") || c.registry != nil && c.registry.Revision != s.Revision {
			return notDone
		}
		c.registry = &observe.Registry{Revision: c.revision(), Data: maps.Clone(s.Data)}
		return done
	case verdict.CreateState:
		if c.state != nil {
			return notDone
		}
		c.state = &observe.State{Object: c.created(s), Content: proof.Empty}
		done.UID = c.state.UID
		return done
	case verdict.CreateAuth:
		return c.createAuth(s)
	case verdict.CreateAuthReceipt:
		if c.authReceipt != nil {
			return notDone
		}
		r := observe.AuthRecordOf(c.configMap(s))
		c.authReceipt = &r
		return done
	case verdict.CreateFresh:
		if c.fresh != nil {
			return notDone
		}
		r := observe.CompletionOf(c.configMap(s))
		c.fresh = &r
		return done
	case verdict.Mint:
		return c.mint(s.Request)
	case verdict.ExpireKey:
		for _, k := range c.keys {
			if k.id == s.Key && c.alive(k) {
				k.expires = c.now
			}
		}
		return done
	case verdict.DeleteObject:
		return c.delete(s)
	case verdict.DeleteState:
		if c.state == nil || c.state.UID != s.UID || c.state.Revision != s.Revision {
			return notDone
		}
		c.state = nil
		return done
	}
	c.Fatalf("no such step: %q", s.Do)
	return notDone
}

func (c *cluster) created(s verdict.Step) observe.Object {
	return observe.Object{UID: c.next(), Revision: c.revision(), Created: c.now, Labels: s.Labels, Immutable: s.Immutable}
}

func (c *cluster) configMap(s verdict.Step) *corev1.ConfigMap {
	o := c.created(s)
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: s.Object.Name, Namespace: s.Object.Namespace, UID: types.UID(o.UID), ResourceVersion: o.Revision, Labels: o.Labels},
		Immutable:  &o.Immutable, Data: s.Data,
	}
}

func (c *cluster) createAuth(s verdict.Step) verdict.Result {
	if c.auth != nil {
		return verdict.Result{Outcome: verdict.NotDone}
	}
	o := c.created(s)
	c.auth = &secret{o, mint.Stored{
		UID: o.UID, Revision: o.Revision, Immutable: s.Immutable, Bytes: s.Secret["authkey"],
		ID: s.Annotations["tsunaro.io/key-id"], Expires: s.Annotations["tsunaro.io/key-expires"],
	}}
	return verdict.Result{Outcome: verdict.Done, Stored: c.auth.Stored}
}

func (c *cluster) mint(r mint.Request) verdict.Result {
	k := &key{id: node.ID(fmt.Sprint(len(c.keys) + 7)), text: fmt.Sprintf("key-%d", len(c.keys)), expires: r.Expiration}
	c.keys = append(c.keys, k)
	return verdict.Result{
		Outcome: verdict.Done, Bytes: sealed.New(k.text),
		Key: node.Key{ID: k.id, Reusable: r.Reusable, Ephemeral: r.Ephemeral, Tags: r.Tags, Expiration: r.Expiration},
	}
}

func (c *cluster) delete(s verdict.Step) verdict.Result {
	for i, o := range c.nine {
		if o != nil && c.names()[i] == s.Object && o.uid == s.UID {
			c.nine[i] = nil
			return verdict.Result{Outcome: verdict.Done}
		}
	}
	return verdict.Result{Outcome: verdict.NotDone}
}

// tick lets everybody else do what is next, and reports whether anybody did
// anything.
func (c *cluster) tick() bool {
	return c.apply() || c.collect() || c.schedule() || c.start()
}

// apply is the engine: it creates what is missing while the entry is open.
func (c *cluster) apply() bool {
	if !c.engine || c.phase() != registry.Open {
		return false
	}
	e, _, _ := registry.Read(c.registry.Data, c.gateway.Name)
	for i, o := range c.nine {
		if o == nil {
			c.nine[i] = &object{uid: c.next(), labels: [2]string{e.GatewayUID, e.StateUID}, created: c.now}
			return true
		}
	}
	return false
}

// collect is the garbage collector: a Pod goes after its StatefulSet.
func (c *cluster) collect() bool {
	if c.pod == nil || c.nine[observe.Workload] != nil {
		return false
	}
	if c.pod.Deleting {
		c.pod = nil
		return true
	}
	c.pod.Deleting = true
	return true
}

// schedule makes the Pod, and runs its check.
func (c *cluster) schedule() bool {
	set := c.nine[observe.Workload]
	switch {
	case set == nil || set.deleting:
		return false
	case c.pod == nil:
		c.pod = &observe.Pod{
			Name: c.gateway.Name + "-0", UID: c.next(), Owner: set.uid, ServiceAccount: c.gateway.Name,
			Labels:   map[string]string{"tsunaro.io/gateway-uid": set.labels[0], "tsunaro.io/state-uid": set.labels[1]},
			Template: observe.Template{Images: map[string]string{"tailscale": "a", "coredns": "b"}, Routes: c.routes()},
		}
	case c.pod.Preflight != observe.Passed:
		c.pod.Preflight, c.pod.Tailscale = observe.Passed, observe.Waiting
	default:
		return false
	}
	return true
}

// start is the kubelet and Tailscale: the container starts once its Secret is
// there, registers with a key that is alive, and comes back by its state.
func (c *cluster) start() bool {
	if c.pod == nil || c.pod.Preflight != observe.Passed || c.auth == nil || c.pod.Tailscale == observe.Started || c.state == nil {
		return false
	}
	c.pod.Tailscale = observe.Started
	text := string(c.auth.Bytes.Open())
	for _, k := range c.keys {
		if k.text == text && c.alive(k) && c.state.Content == proof.Empty {
			c.register(k)
		}
	}
	c.pod.Ready = c.state.Readable
	return true
}

func (c *cluster) register(k *key) {
	c.registered++
	n := c.registered
	keys := proof.Keys{Machine: fmt.Sprintf("mkey:%064x", n), Node: fmt.Sprintf("nodekey:%064x", n)}
	c.state.Content, c.state.Readable, c.state.Identity = proof.Filled, true, proof.State{Keys: keys}
	c.state.Revision = c.revision()
	c.nodes = append(c.nodes, node.Node{
		ID: node.ID(fmt.Sprint(n)), MachineKey: keys.Machine, NodeKey: keys.Node,
		Name: c.gateway.Name, GivenName: c.gateway.Name, Tags: []string{"tag:gateway"}, Online: true, KeyID: k.id,
		Addresses: []netip.Addr{netip.MustParseAddr("100.64.0.1")}, Advertised: c.routes(),
	})
}
