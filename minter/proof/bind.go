package proof

import (
	"slices"

	"tsunaro.io/gateway/minter/node"
)

// Want is what the node of a gateway must be.
type Want struct {
	Keys
	Hostname   string
	Tags       []string
	KeyID      node.ID // the issued key, for a new mint; "" asks for none
	NeedOnline bool    // and not expired; not in a teardown
}

// Problem is why a node is not the gateway's, or not yet.
type Problem uint8

// The problems, in the order in which they are looked for: first what no waiting
// mends.
const (
	None      Problem = iota
	NoNode            // no node has both keys
	Several           // more than one node has one of the keys
	OtherKey          // it registered with another pre-auth key than the issued one
	OtherName         // one of its two names is not the wanted one
	OtherTags         // compared as sets
	NoAddress         // it has no IPv4 address, or several
	Expired           //
	Offline           //
)

// Bind returns the one node that has the keys and is as wanted (MT-05). With any
// problem but NoNode and Several the node is the one that has the keys.
func Bind(nodes []node.Node, w Want) (node.Node, Problem) {
	var found []node.Node
	for _, n := range nodes {
		if w.shares(n) {
			found = append(found, n)
		}
	}
	switch {
	case len(found) > 1:
		return node.Node{}, Several
	case len(found) == 0 || found[0].MachineKey != w.Machine || found[0].NodeKey != w.Node:
		return node.Node{}, NoNode
	}
	return found[0], w.problem(found[0])
}

// shares reports whether a node has one of the keys. Half a match counts: two
// nodes that share a key are not told apart by the other one.
func (k Keys) shares(n node.Node) bool {
	return k.Machine != "" && n.MachineKey == k.Machine || k.Node != "" && n.NodeKey == k.Node
}

func (w Want) problem(n node.Node) Problem {
	_, addressed := n.IPv4()
	switch {
	case w.KeyID != "" && n.KeyID != w.KeyID:
		return OtherKey
	case n.Name != w.Hostname || n.GivenName != w.Hostname:
		return OtherName
	case !n.Tagged(w.Tags):
		return OtherTags
	case !addressed:
		return NoAddress
	case w.NeedOnline && n.Expired:
		return Expired
	case w.NeedOnline && !n.Online:
		return Offline
	}
	return None
}

// Stale returns the IDs of the nodes that have the wanted name and neither of
// the keys, in order. They are reported and never deleted (B23). For zero Keys,
// before the node has registered, these are all nodes of the name.
func Stale(nodes []node.Node, hostname string, k Keys) []node.ID {
	var ids []node.ID
	for _, n := range nodes {
		if (n.Name == hostname || n.GivenName == hostname) && !k.shares(n) {
			ids = append(ids, n.ID)
		}
	}
	slices.SortFunc(ids, node.ID.Compare)
	return ids
}
