package zone

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/model"
)

// sets groups entries by name, in canonical order (RFC 4034, section 6.1). All
// names lie in zone, which their order therefore need not look at. What stands at
// the head of them all is given.
func sets(head []Set, entries []entry, zone model.Name) []Set {
	if len(entries) == 0 {
		return head
	}
	keys := make([]string, len(entries))
	for i, e := range entries {
		keys[i] = sortKey(e.name, zone)
	}
	order := ranks(keys)
	slices.SortFunc(order, func(a, b rank) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		if c := strings.Compare(keys[a.index], keys[b.index]); c != 0 {
			return c
		}
		return compareAddresses(entries[a.index].addr, entries[b.index].addr)
	})
	order = slices.CompactFunc(order, func(a, b rank) bool { return entries[a.index] == entries[b.index] })
	out := append(make([]Set, 0, len(head)+len(order)), head...)
	addrs := make([]netip.Addr, len(order)) // of all sets, one after the other
	for from := 0; from < len(order); {
		name, to := entries[order[from].index].name, from
		for ; to < len(order) && entries[order[to].index].name == name; to++ {
			addrs[to] = entries[order[to].index].addr
		}
		out = append(out, Set{Name: name, Addresses: addrs[from:to:to], Origin: Dynamic})
		from = to
	}
	return out
}

// rank stands for an entry while it is sorted: the first eight bytes in which any
// keys differ, most of which tell two entries apart without a look at either.
type rank struct {
	prefix uint64
	index  int32
}

func ranks(keys []string) []rank {
	common := len(keys[0])
	for _, k := range keys[1:] {
		n := 0
		for n < min(common, len(k)) && k[n] == keys[0][n] {
			n++
		}
		common = n
	}
	out := make([]rank, len(keys))
	for i, k := range keys {
		var first [8]byte // a shorter key comes first, as zero bytes do
		copy(first[:], k[common:])
		out[i] = rank{binary.BigEndian.Uint64(first[:]), int32(i)}
	}
	return out
}

// sortKey is a text whose byte order is the canonical order of names in zone:
// their labels from right to left, joined by a byte that no label holds.
func sortKey(n, zone model.Name) string {
	rest := strings.TrimSuffix(strings.TrimSuffix(string(n), string(zone)), ".")
	if strings.IndexByte(rest, '.') < 0 {
		return rest
	}
	labels := strings.Split(rest, ".")
	slices.Reverse(labels)
	return strings.Join(labels, "\x00")
}

// compareAddresses puts IPv4 first.
func compareAddresses(a, b netip.Addr) int {
	return cmp.Or(cmp.Compare(a.BitLen(), b.BitLen()), a.Compare(b))
}

func sortedAddresses(addrs []netip.Addr) []netip.Addr {
	return slices.Compact(slices.SortedFunc(slices.Values(addrs), compareAddresses))
}
