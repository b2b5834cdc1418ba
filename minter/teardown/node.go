package teardown

import (
	"cmp"
	"slices"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
)

// node deletes the gateway's node at Headscale: the one that its state proves, or
// else the one that its status remembers (TD-02). Whatever is not known, or does
// not fit, blocks.
func (p *pass) node() (v Verdict, done bool) {
	if p.State.Unknown() {
		return unread(p.state()), false
	}
	if v, ok := p.authKnown(); !ok {
		return v, false
	}
	keys, proven := p.keys()
	_, minted := p.mintedKey()
	if !proven && !minted {
		return Verdict{}, true // nothing of this gateway ever spoke to Headscale
	}
	if p.elsewhere() {
		return say(blocked, DeleteNode, p.network()), false
	}
	nodes, known := p.Nodes.Get()
	switch {
	case !known:
		return say(blocked, DeleteNode, p.headscale()), false
	case proven:
		return p.proven(nodes, keys)
	}
	return p.remembered(nodes)
}

// keys are those of the state, if that is the gateway's and holds any (MT-05).
func (p *pass) keys() (k proof.Keys, ok bool) {
	state, there := p.State.Get()
	mine := there && state.Of(p.uid())
	if p.whole {
		mine = there && state.UID == p.inventory.State.UID
	}
	return state.Identity.Keys, mine && state.Readable
}

// elsewhere reports whether the Tailnet is not provably the one whose Headscale
// made node and key: an ID is another's there.
func (p *pass) elsewhere() bool {
	const url = "spec.controlURL"
	if p.whole {
		return p.inventory.Tailnet.Identity[url] != receipt.TailnetIdentity(p.t)[url]
	}
	r, there := p.AuthReceipt.Get()
	return there && r.Of(p.uid()) && r.Receipt.Tailnet.UID != string(p.t.UID)
}

// proven deletes the one node that has the keys of the state. It need not be
// online; half a match is none, and no absence either.
func (p *pass) proven(nodes []node.Node, k proof.Keys) (v Verdict, done bool) {
	for _, n := range nodes {
		if n.MachineKey == k.Machine || n.NodeKey == k.Node {
			return p.matched(nodes, k, n), false
		}
	}
	if v, ok := p.noOther(nodes); !ok {
		return v, false
	}
	id, known := p.lastID()
	if !known || slices.ContainsFunc(nodes, has(id)) { // who has the ID now has other keys
		return Verdict{}, true
	}
	return p.gone(id)
}

// remembered deletes the node of the status, where no state tells the keys. What
// has its ID by now is compared with the receipt.
func (p *pass) remembered(nodes []node.Node) (v Verdict, done bool) {
	id, known := p.lastID()
	if i := slices.IndexFunc(nodes, has(id)); known && i >= 0 {
		n := nodes[i]
		return p.matched(nodes, proof.Keys{Machine: n.MachineKey, Node: n.NodeKey}, n), false
	}
	if v, ok := p.noOther(nodes); !ok || !known {
		return v, ok
	}
	return p.gone(id)
}

func has(id node.ID) func(node.Node) bool {
	return func(n node.Node) bool { return n.ID == id }
}

// matched deletes a node if it is in every respect the gateway's.
func (p *pass) matched(nodes []node.Node, k proof.Keys, n node.Node) Verdict {
	if _, problem := proof.Bind(nodes, p.want(k, n)); problem != proof.None {
		return say(blocked, DeleteNode, p.headscaleNode(n.ID))
	}
	v := due(verdict.Step{Do: DeleteNode, Object: p.headscaleNode(n.ID)})
	v.Node = n.ID
	return v
}

// noOther sees to it that no other node was made with the gateway's key. It would
// be one of this gateway's, and nothing tells which (B23).
func (p *pass) noOther(nodes []node.Node) (v Verdict, ok bool) {
	k, minted := p.mintedKey()
	for _, n := range nodes {
		if minted && n.KeyID == k.id {
			return say(blocked, DeleteNode, p.headscaleNode(n.ID)), false
		}
	}
	return Verdict{}, true
}

// want is what a node must be. Name and tags are those of the spec; where the
// spec has changed since the receipt, those that the receipt has hashed, or that
// the recorded key has given.
func (p *pass) want(k proof.Keys, n node.Node) proof.Want {
	w := proof.Want{Keys: k, Hostname: cmp.Or(string(p.g.Spec.Hostname), p.g.Name)}
	for _, t := range p.g.Spec.Tags {
		w.Tags = append(w.Tags, string(t))
	}
	if !p.whole {
		return w
	}
	was, is := p.inventory.Gateway.Identity, receipt.GatewayIdentity(p.g)
	if name := "spec.hostname"; was[name] != is[name] && was.Holds(name, n.Name) {
		w.Hostname = n.Name
	}
	if tags := "spec.tags"; was[tags] != is[tags] && n.KeyID == p.inventory.KeyID {
		w.Tags = n.Tags
	}
	return w
}

// lastID is the ID that the gateway's node had last: in its state, or else in the
// status of a completed gateway.
func (p *pass) lastID() (id node.ID, ok bool) {
	state, _ := p.State.Get()
	if _, proven := p.keys(); proven && state.Identity.Device != "" {
		return state.Identity.Device, true
	}
	if !p.whole {
		return "", false
	}
	return node.ParseID(p.g.Status.NodeID)
}

// gone asks for the second witness: that the list lacks a node is one (B25).
func (p *pass) gone(id node.ID) (v Verdict, done bool) {
	gone, known := p.Gone.Get()
	switch {
	case !known:
		return say(blocked, DeleteNode, p.headscale()), false
	case !gone:
		return say(blocked, DeleteNode, p.headscaleNode(id)), false
	}
	return Verdict{}, true
}
