package zone

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/model"
)

// sets groups entries by name, in canonical order (RFC 4034, section 6.1). All
// names lie in zone, which their order therefore need not look at.
func sets(entries []entry, zone model.Name) []Set {
	if len(entries) == 0 {
		return nil
	}
	keys := make([]string, len(entries))
	order := make([]int32, len(entries)) // to be sorted instead of what is larger
	for i, e := range entries {
		keys[i], order[i] = sortKey(e.name, zone), int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		if c := strings.Compare(keys[i], keys[j]); c != 0 {
			return c
		}
		return compareAddresses(entries[i].addr, entries[j].addr)
	})
	order = slices.CompactFunc(order, func(i, j int32) bool { return entries[i] == entries[j] })
	out := make([]Set, 0, len(order))
	addrs := make([]netip.Addr, len(order)) // of all sets, one after the other
	for from := 0; from < len(order); {
		name, to := entries[order[from]].name, from
		for ; to < len(order) && entries[order[to]].name == name; to++ {
			addrs[to] = entries[order[to]].addr
		}
		out = append(out, Set{Name: name, Addresses: addrs[from:to:to], Origin: Dynamic})
		from = to
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
