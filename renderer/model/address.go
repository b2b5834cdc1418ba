package model

import "net/netip"

var (
	thisNetwork = netip.MustParsePrefix("0.0.0.0/8") // RFC 6890: "this host on this network"
	loopback    = netip.MustParsePrefix("127.0.0.0/8")
	multicast   = netip.MustParsePrefix("224.0.0.0/4")
	broadcast   = netip.AddrFrom4([4]byte{255, 255, 255, 255})
)

// ParsePrefix accepts a canonical IPv4 prefix without host bits. v6 tells that s
// is an IPv6 prefix; hint is the canonical spelling where s has one (CF-05).
func ParsePrefix(s string) (p netip.Prefix, hint string, v6, ok bool) {
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return p, "", false, false
	case p.Addr().Is4In6():
		return p, "", false, false
	case !p.Addr().Is4():
		return p, "", true, false
	case p.Masked() != p:
		return p, p.Masked().String(), false, false
	}
	return p, "", false, p.String() == s
}

// Routable reports whether p touches no unspecified, loopback or multicast
// address (CF-05).
func Routable(p netip.Prefix) bool {
	return !p.Overlaps(thisNetwork) && !p.Overlaps(loopback) && !p.Overlaps(multicast)
}

// ParseIPv4 accepts a canonical IPv4 literal.
func ParseIPv4(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(s)
	return a, err == nil && a.Is4() && a.String() == s
}

// ParseUnicast accepts a canonical unicast IPv4 or IPv6 literal (DN-05).
func ParseUnicast(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(s)
	if err != nil || !Unicast(a) {
		return a, false
	}
	var text [48]byte // String would allocate, for each line of a hosts source
	return a, string(a.AppendTo(text[:0])) == s
}

// Unicast reports whether a is neither unspecified, loopback, link-local,
// multicast, broadcast nor IPv4-mapped, and carries no zone (CF-06, DN-05).
func Unicast(a netip.Addr) bool {
	return a.Zone() == "" && !a.Is4In6() && !a.IsUnspecified() && !a.IsLoopback() &&
		!a.IsLinkLocalUnicast() && !a.IsMulticast() && a != broadcast && !thisNetwork.Contains(a)
}
