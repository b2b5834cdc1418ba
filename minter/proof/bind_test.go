package proof

import (
	"net/netip"
	"slices"
	"testing"

	"tsunaro.io/gateway/minter/node"
)

var ours = Keys{"mkey:OURS", "nodekey:OURS"}

func want() Want {
	return Want{Keys: ours, Hostname: "gw1", Tags: []string{"tag:b", "tag:a"}, KeyID: "5", NeedOnline: true}
}

// right is the node that is wanted, but for what edits change.
func right(edits ...func(*node.Node)) node.Node {
	n := node.Node{
		ID: "9", MachineKey: ours.Machine, NodeKey: ours.Node, Name: "gw1", GivenName: "gw1",
		Tags: []string{"tag:a", "tag:b"}, Online: true, KeyID: "5",
		Addresses: []netip.Addr{netip.MustParseAddr("fd7a:115c:a1e0::9"), netip.MustParseAddr("100.64.0.9")},
	}
	for _, edit := range edits {
		edit(&n)
	}
	return n
}

func id(id node.ID) func(*node.Node) { return func(n *node.Node) { n.ID = id } }
func names(name, given string) func(*node.Node) {
	return func(n *node.Node) { n.Name, n.GivenName = name, given }
}
func keys(machine, key string) func(*node.Node) {
	return func(n *node.Node) { n.MachineKey, n.NodeKey = machine, key }
}
func addresses(list ...string) func(*node.Node) {
	return func(n *node.Node) {
		n.Addresses = nil
		for _, a := range list {
			n.Addresses = append(n.Addresses, netip.MustParseAddr(a))
		}
	}
}
func tags(list ...string) func(*node.Node) { return func(n *node.Node) { n.Tags = list } }

var (
	offline  = func(n *node.Node) { n.Online = false }
	expired  = func(n *node.Node) { n.Expired = true }
	otherKey = func(n *node.Node) { n.KeyID = "6" }
	noKey    = func(n *node.Node) { n.KeyID = "" }
	old      = keys("mkey:OLD", "nodekey:OLD")
)

// REQ: MT-05
func TestBind(t *testing.T) {
	anyKey := func(w *Want) { w.KeyID = "" }
	teardown := func(w *Want) { w.NeedOnline = false }
	for _, c := range []struct {
		why   string
		nodes []node.Node
		want  func(*Want)
		id    node.ID
		is    Problem
	}{
		{"the node", []node.Node{right()}, nil, "9", None},
		{"among others", []node.Node{right(id("1"), old), right(), right(id("10"), old, names("b", "b"))}, nil, "9", None},
		{"tags twice and in another order", []node.Node{right(tags("tag:b", "tag:a", "tag:b"))}, nil, "9", None},
		{"no node", nil, nil, "", NoNode},
		{"other nodes", []node.Node{right(old)}, nil, "", NoNode},
		{"the machine with another node key", []node.Node{right(keys(ours.Machine, "nodekey:OLD"))}, nil, "", NoNode},
		{"the node key of another machine", []node.Node{right(keys("mkey:OLD", ours.Node))}, nil, "", NoNode},
		{"both keys swapped", []node.Node{right(keys(ours.Node, ours.Machine))}, nil, "", NoNode},
		{"two nodes with both keys", []node.Node{right(), right(id("10"))}, nil, "", Several},
		{"another node with the machine key", []node.Node{right(), right(id("10"), keys(ours.Machine, "nodekey:OLD"))}, nil, "", Several},
		{"another node with the node key", []node.Node{right(id("10"), keys("mkey:OLD", ours.Node)), right()}, nil, "", Several},
		{"no keys wanted", []node.Node{right(keys("", ""))}, func(w *Want) { w.Keys = Keys{} }, "", NoNode},
		{"another pre-auth key", []node.Node{right(otherKey)}, nil, "9", OtherKey},
		{"no pre-auth key", []node.Node{right(noKey)}, nil, "9", OtherKey},
		{"any pre-auth key will do", []node.Node{right(otherKey)}, anyKey, "9", None},
		{"another name", []node.Node{right(names("gw2", "gw1"))}, nil, "9", OtherName},
		{"a suffix", []node.Node{right(names("gw1", "gw1-1"))}, nil, "9", OtherName},
		{"a tag is missing", []node.Node{right(tags("tag:a"))}, nil, "9", OtherTags},
		{"a tag too many", []node.Node{right(tags("tag:a", "tag:b", "tag:c"))}, nil, "9", OtherTags},
		{"no address", []node.Node{right(addresses())}, nil, "9", NoAddress},
		{"IPv6 alone", []node.Node{right(addresses("fd7a:115c:a1e0::9"))}, nil, "9", NoAddress},
		{"two IPv4 addresses", []node.Node{right(addresses("100.64.0.9", "100.64.0.10"))}, nil, "9", NoAddress},
		{"expired", []node.Node{right(expired)}, nil, "9", Expired},
		{"offline", []node.Node{right(offline)}, nil, "9", Offline},
		{"offline in a teardown", []node.Node{right(offline)}, teardown, "9", None},
		{"expired in a teardown", []node.Node{right(offline, expired)}, teardown, "9", None},
	} {
		w := want()
		if c.want != nil {
			c.want(&w)
		}
		if n, is := Bind(c.nodes, w); n.ID != c.id || is != c.is {
			t.Errorf("%s: node %q, problem %d; want %q, %d", c.why, n.ID, is, c.id, c.is)
		}
	}
}

// With everything wrong, what no waiting mends is told first.
func TestProblemsInOrder(t *testing.T) {
	wrong := []struct {
		edit func(*node.Node)
		is   Problem
	}{
		{otherKey, OtherKey}, {names("gw1", "gw1-1"), OtherName}, {tags(), OtherTags}, {addresses(), NoAddress}, {expired, Expired}, {offline, Offline},
	}
	for i := range wrong {
		n := right()
		for _, w := range wrong[i:] {
			w.edit(&n)
		}
		if _, is := Bind([]node.Node{n}, want()); is != wrong[i].is {
			t.Errorf("problem %d, want %d", is, wrong[i].is)
		}
	}
}

// Case B23: the keys tell whose node it is, its two names must be the wanted one,
// an older twin is reported, and two matches are none.
//
// REQ: MT-05
func TestB23(t *testing.T) {
	twin := right(id("3"), old, offline)
	for _, c := range []struct {
		why   string
		nodes []node.Node
		id    node.ID
		is    Problem
		stale []node.ID
	}{
		{"1: a twin holds the name", []node.Node{twin, right(names("gw1", "gw1-1"))}, "9", OtherName, []node.ID{"3"}},
		{"2: a random suffix", []node.Node{right(names("gw1", "gw1-x7k2q9zz"))}, "9", OtherName, nil},
		{"3: two matches", []node.Node{right(), right(id("10"))}, "", Several, nil},
	} {
		n, is := Bind(c.nodes, want())
		if n.ID != c.id || is != c.is {
			t.Errorf("%s: node %q, problem %d; want %q, %d", c.why, n.ID, is, c.id, c.is)
		}
		if stale := Stale(c.nodes, "gw1", ours); !slices.Equal(stale, c.stale) {
			t.Errorf("%s: stale %v, want %v", c.why, stale, c.stale)
		}
	}
}

// REQ: LC-19, ST-09
func TestStale(t *testing.T) {
	nodes := []node.Node{
		right(id("100"), old), right(id("20"), old, names("other", "gw1")), right(id("3"), old, names("gw1", "gw1-1")),
		right(id("4"), old, names("gw10", "gw1-2")), right(), right(id("11"), keys(ours.Machine, "nodekey:OLD")), right(id("12"), keys("mkey:OLD", ours.Node)),
	}
	if got, want := Stale(nodes, "gw1", ours), []node.ID{"3", "20", "100"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	nodes = append(nodes, right(id("13"), keys("", "")))
	if got, want := Stale(nodes, "gw1", Keys{}), []node.ID{"3", "9", "11", "12", "13", "20", "100"}; !slices.Equal(got, want) {
		t.Errorf("before it has registered: %v, want %v", got, want)
	}
	if got := Stale(nodes, "gw", ours); got != nil {
		t.Errorf("%v have another name", got)
	}
}
