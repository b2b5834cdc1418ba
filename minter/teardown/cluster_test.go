package teardown_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/rules"
)

// cluster is an API server, a kubelet and a Headscale, as far as one gateway is
// concerned. It shares no code with the decisions: what a write does follows from
// the write alone.
type cluster struct {
	testing.TB
	now      time.Time
	gateway  *v1alpha1.TailnetGateway
	tailnet  *v1alpha1.Tailnet
	registry map[string]string
	revision int

	objects map[string]*object // by Kind/namespace/name
	pods    []observe.Pod
	nodes   []node.Node
	expires time.Time // of key 5

	client    observe.Fact[struct{}]
	headscale map[string]observe.Class // what fails: list, get, delete, expire

	attempt observe.Attempt
	steps   []string // that were carried out: action and object
	gone    []string // what a deletion has removed
}

// object is anything but a Pod.
type object struct {
	observe.Object
	content proof.Content // of the state
	auth    receipt.Auth
	fresh   receipt.Completion
	err     error
	drift   verify.State // of one of the nine, against the render; 0 is as rendered
	sticky  int          // how long a finalizer of somebody else's keeps it
}

func (c *cluster) name(kind, name string) string { return kind + inNamespace + name }

func (c *cluster) put(kind, name string, n int, o object) {
	o.UID, o.Revision, o.Created = uid(n), fmt.Sprint(n), start.Add(-time.Hour)
	if o.Labels == nil {
		o.Labels = labels()
	}
	c.objects[c.name(kind, name)] = &o
}

// bare is a gateway that is being deleted, of which nothing exists.
func bare(t testing.TB) *cluster {
	c := &cluster{
		TB: t, now: start, revision: 100, gateway: gateway(), tailnet: tailnet(),
		registry: map[string]string{"other_gw_phase": "open"}, objects: map[string]*object{},
		nodes:  []node.Node{otherNode("9")},
		client: observe.Known(struct{}{}), headscale: map[string]observe.Class{},
	}
	c.put("ConfigMap", "lab-gw-other", 60, object{Object: observe.Object{Labels: map[string]string{}}})
	return c
}

// attempted is an attempt that came as far as the auth receipt, its node too.
func attempted(t testing.TB) *cluster {
	c := bare(t)
	c.gateway.Status.NodeID = ""
	maps.Copy(c.registry, map[string]string{
		"lab_gw_gateway_uid": uid(1), "lab_gw_state_uid": uid(3), "lab_gw_phase": "minting", "lab_gw_mint_expires": "2026-11-30T08:00:00Z",
	})
	for i, o := range observe.Names(c.gateway, namespace) {
		c.put(o.Kind, o.Name, 10+i, object{})
	}
	c.put("Secret", "lab-gw-state", 3, object{content: proof.Filled})
	c.put("Secret", "lab-gw-auth", 4, object{Object: observe.Object{Immutable: true}})
	c.put("ConfigMap", "lab-gw-auth-receipt", 5, object{Object: observe.Object{Immutable: true}, auth: authReceipt(c.gateway, c.tailnet)})
	c.pods = []observe.Pod{{Name: "lab-gw-0", UID: uid(30), Owner: uid(18), Labels: labels()}}
	c.nodes, c.expires = append(c.nodes, ownNode()), expires
	return c
}

// completed is a gateway in service.
func completed(t testing.TB) *cluster {
	c := attempted(t)
	c.gateway.Status.NodeID = "7"
	c.registry["lab_gw_phase"] = "complete"
	delete(c.registry, "lab_gw_mint_expires")
	c.put("ConfigMap", "lab-gw-fresh", 6, object{Object: observe.Object{Immutable: true}, fresh: completion(c.gateway, c.tailnet)})
	return c
}

// staged is one whose receipt is being made anew.
func staged(t testing.TB) *cluster {
	c := completed(t)
	c.put("ConfigMap", "lab-gw-fresh-next", 7, object{Object: observe.Object{Immutable: true}, fresh: completion(c.gateway, c.tailnet)})
	return c
}

func read[T any](c *cluster, kind, name string, of func(object) T) observe.Fact[T] {
	o, ok := c.objects[c.name(kind, name)]
	if !ok {
		return observe.Absent[T]()
	}
	return observe.Known(of(*o))
}

// read is one pass over everything, in the order in which a shell reads it.
func (c *cluster) read() teardown.World {
	fresh := func(o object) observe.Completion {
		return observe.Completion{Object: o.Object, Receipt: o.fresh, Err: o.err}
	}
	w := teardown.World{Client: c.client}
	w.Now, w.Namespace, w.Attempt = c.now, namespace, c.attempt
	w.Gateway, w.Tailnet = observe.Known(c.gateway.DeepCopy()), observe.Absent[*v1alpha1.Tailnet]()
	if c.tailnet != nil {
		w.Tailnet = observe.Known(c.tailnet.DeepCopy())
	}
	w.Registry = observe.Known(observe.Registry{Revision: fmt.Sprint(c.revision), Data: maps.Clone(c.registry)})
	w.Render = observe.Known(observe.Render{})
	w.State = read(c, "Secret", "lab-gw-state", c.state)
	w.Auth = read(c, "Secret", "lab-gw-auth", func(o object) observe.Object { return o.Object })
	w.AuthReceipt = read(c, "ConfigMap", "lab-gw-auth-receipt", func(o object) observe.AuthRecord {
		return observe.AuthRecord{Object: o.Object, Receipt: o.auth, Err: o.err}
	})
	w.Fresh = read(c, "ConfigMap", "lab-gw-fresh", fresh)
	w.Stage = read(c, "ConfigMap", "lab-gw-fresh-next", fresh)
	for i, name := range observe.Names(c.gateway, namespace) {
		w.Nine[i] = read(c, name.Kind, name.Name, c.member)
	}
	w.Pods = observe.Known(slices.Clone(c.pods))
	c.askHeadscale(&w)
	for _, name := range teardown.Names(w) {
		w.Children = append(w.Children, read(c, name.Kind, name.Name, func(o object) teardown.Child {
			return teardown.Child{UID: o.UID, Deleting: o.Deleting}
		}))
	}
	return w
}

func (c *cluster) state(o object) observe.State {
	s := observe.State{Object: o.Object, Content: o.content, Readable: o.content == proof.Filled}
	if s.Readable {
		s.Identity = proof.State{Keys: keys, Device: "7"}
	}
	return s
}

// member compares one of the nine with the render for this gateway and the state
// Secret that is there.
func (c *cluster) member(o object) observe.Member {
	m := observe.Member{UID: o.UID, Deleting: o.Deleting, Result: verify.Result{State: verify.Same}}
	state, bound := c.objects[stateName]
	other := !bound || o.Labels["tsunaro.io/gateway-uid"] != uid(1) || o.Labels["tsunaro.io/state-uid"] != state.UID
	if other || o.drift == verify.Different {
		m.Result.Differences = []verify.Difference{{Path: "spec.here"}}
	}
	switch {
	case o.Deleting:
		m.Result.State = verify.Terminating
	case other:
		m.Result.State = verify.WrongUID
	case o.drift != 0:
		m.Result.State = o.drift
	}
	return m
}

// askHeadscale asks what a pass needs to know, if Headscale answers.
func (c *cluster) askHeadscale(w *teardown.World) {
	w.APIKey, w.Nodes, w.KeyExpires = observe.Known(observe.Accepted{}), observe.Known(slices.Clone(c.nodes)), observe.Absent[time.Time]()
	if class, fails := c.headscale["list"]; fails {
		w.Nodes, w.APIKey = observe.Unknown[[]node.Node](class), observe.Unknown[observe.Accepted](class)
		if class == observe.Denied {
			w.APIKey = observe.Absent[observe.Accepted]()
		}
	}
	if id, ok := teardown.Key(*w); ok && id == "5" && !c.expires.IsZero() {
		w.KeyExpires = observe.Known(c.expires)
	}
	if class, fails := c.headscale["list"]; fails {
		w.KeyExpires = observe.Unknown[time.Time](class)
	}
	id, ok := teardown.Witness(*w)
	if !ok {
		return
	}
	w.Gone = observe.Known(!slices.ContainsFunc(c.nodes, func(n node.Node) bool { return n.ID == id }))
	for _, op := range []string{"list", "get"} {
		if class, fails := c.headscale[op]; fails {
			w.Gone = observe.Unknown[bool](class)
		}
	}
}

// carryOut does what a step says, or says why not.
func (c *cluster) carryOut(v teardown.Verdict) verdict.Result {
	s := v.Step
	done, notDone := verdict.Result{Outcome: verdict.Done}, verdict.Result{Outcome: verdict.NotDone}
	switch s.Do {
	case teardown.CloseEntry:
		if s.Revision != fmt.Sprint(c.revision) {
			return notDone
		}
		c.registry, c.revision = maps.Clone(s.Data), c.revision+1
		c.gone = append(c.gone, "entry")
		return done
	case teardown.RemoveFinalizer:
		if s.UID != string(c.gateway.UID) || s.Revision != c.gateway.ResourceVersion {
			return notDone
		}
		c.gateway.Finalizers = slices.DeleteFunc(c.gateway.Finalizers, func(f string) bool { return f == "tsunaro.io/gateway-teardown" })
		return done
	case teardown.DeleteNode:
		if _, fails := c.headscale["delete"]; fails {
			return notDone
		}
		c.nodes = slices.DeleteFunc(slices.Clone(c.nodes), func(n node.Node) bool { return n.ID == v.Node })
		c.gone = append(c.gone, "node "+string(v.Node))
		return done
	case teardown.ExpireKey:
		if _, fails := c.headscale["expire"]; fails || s.Key != "5" {
			return notDone
		}
		c.expires = c.now
		c.gone = append(c.gone, "key "+string(s.Key))
		return done
	}
	if !teardown.Deletes(s.Do) {
		c.Fatalf("no such step: %q", s.Do)
	}
	return c.delete(s.Object, s.UID)
}

func (c *cluster) delete(name rules.Object, uid string) verdict.Result {
	o, there := c.objects[name.String()]
	switch {
	case !there:
		return verdict.Result{Outcome: verdict.Done}
	case uid == "" || o.UID != uid:
		return verdict.Result{Outcome: verdict.NotDone}
	}
	o.Deleting = true
	c.gone = append(c.gone, name.String())
	if o.sticky == 0 {
		delete(c.objects, name.String())
	}
	return verdict.Result{Outcome: verdict.Done}
}

// tick lets finalizers and the kubelet do their part; moved is false if there was
// nothing to do.
func (c *cluster) tick() (moved bool) {
	for name, o := range c.objects {
		if o.Deleting && o.sticky > 0 {
			if o.sticky--; o.sticky == 0 {
				delete(c.objects, name)
			}
			return true
		}
	}
	set, runs := c.objects[setName]
	for i, p := range c.pods {
		if p.Owner == uid(18) && (!runs || set.UID != p.Owner) {
			if !p.Deleting {
				c.pods[i].Deleting = true
			} else {
				c.pods = slices.Delete(slices.Clone(c.pods), i, i+1)
			}
			return true
		}
	}
	return false
}
