package node

import (
	"net/netip"
	"slices"
	"time"
)

// ID is Headscale's number of a node or a key, in its canonical decimal
// spelling: no sign, no leading zero, not zero.
type ID string

// Node is one registered machine.
type Node struct {
	ID         ID
	MachineKey string // mkey:… of the public key
	NodeKey    string // nodekey:… of the public key
	Name       string // the hostname that the machine gave
	GivenName  string // the unique name in the tailnet, which may have a suffix
	Tags       []string
	Addresses  []netip.Addr
	Online     bool
	Expired    bool // its expiry has passed at the time of the answer
	KeyID      ID   // of the pre-auth key that it registered with; "" if with none

	// Routes. Only a list fills Served (headscale 0.29).
	Advertised []netip.Prefix
	Approved   []netip.Prefix
	Served     []netip.Prefix
}

// IPv4 is the node's one IPv4 address; ok is false where it has none or several.
func (n Node) IPv4() (a netip.Addr, ok bool) {
	for _, b := range n.Addresses {
		if !b.Is4() {
			continue
		}
		if ok {
			return netip.Addr{}, false
		}
		a, ok = b, true
	}
	return a, ok
}

// Tagged reports whether the node has exactly the tags, in any order (B19).
func (n Node) Tagged(tags []string) bool { return SameTags(n.Tags, tags) }

// SameTags compares tags as sets: Headscale sorts them and drops duplicates.
func SameTags(a, b []string) bool {
	set := func(tags []string) []string { return slices.Compact(slices.Sorted(slices.Values(tags))) }
	return slices.Equal(set(a), set(b))
}

// Key is a pre-auth key without its bytes.
type Key struct {
	ID         ID
	Reusable   bool
	Ephemeral  bool
	Tags       []string
	Expiration time.Time // absolute; the zero time where Headscale stored none
}
