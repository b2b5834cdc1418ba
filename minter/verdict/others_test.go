package verdict_test

import (
	"fmt"
	"net/netip"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/registry"
)

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
