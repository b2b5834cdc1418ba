package zone

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// FirstSerial is the SOA serial of a first render (DN-10).
const FirstSerial = 1

// MaxConfigBytes bounds Corefile, zone.db and hosts together (DN-06).
const MaxConfigBytes = 1 << 20

// Origin tells where a name's addresses come from.
type Origin string

// The origins, in the order in which they win.
const (
	Reserved Origin = "gateway" // the apex: the gateway's own address (DN-04)
	Dynamic  Origin = "hosts"   // the hosts source; replaces the static set whole (DN-02)
	Static   Origin = "static"  // spec.dns.records
	Parent   Origin = "parent"  // no address: keeps a wildcard from names it may not cover
)

// Set is one name with all its addresses, IPv4 first, each in order and once. A
// Parent has none.
type Set struct {
	Name      model.Name
	Addresses []netip.Addr
	Origin    Origin
	Shadowed  bool // a static set of the same name was replaced
}

// Data is canonical zone data: the same names and addresses are the same Data,
// however the hosts source was laid out.
type Data struct {
	zone  model.Name
	extra []model.ExtraZone

	Primary []Set // in canonical order, the apex first
	Extra   []Set // hosts names inside extra zones, in canonical order
}

// New merges static records and the hosts source into zone data. lb is the
// apex's address.
func New(dns model.DNS, lb netip.Addr, hostsText string) (Data, []Problem) {
	h, problems := parseHosts(hostsText, dns.Zone, dns.ExtraZones)
	if len(problems) > 0 {
		return Data{}, problems
	}
	d := Data{zone: dns.Zone, extra: dns.ExtraZones}
	static := make(map[model.Name][]netip.Addr, len(dns.Records))
	for _, r := range dns.Records {
		static[r.Name] = r.Addresses
		if _, dynamic := h[r.Name]; !dynamic {
			d.Primary = append(d.Primary, Set{Name: r.Name, Addresses: r.Addresses, Origin: Static})
		}
	}
	for name, addrs := range h {
		_, shadowed := static[name]
		set := Set{Name: name, Addresses: addrs, Origin: Dynamic, Shadowed: shadowed}
		if name.In(dns.Zone) {
			d.Primary = append(d.Primary, set)
		} else {
			d.Extra = append(d.Extra, set)
		}
	}
	d.Primary = append(d.Primary, Set{Name: dns.Zone, Addresses: []netip.Addr{lb}, Origin: Reserved})
	d.Primary = append(d.Primary, emptyParents(d.Primary)...)
	canonical(d.Primary)
	canonical(d.Extra)
	if d.size() > MaxConfigBytes {
		return Data{}, []Problem{{rules.ConfigSize, 0}}
	}
	return d, nil
}

// canonical orders sets by name, and the addresses of each by family and value.
func canonical(sets []Set) {
	slices.SortFunc(sets, func(a, b Set) int { return a.Name.Compare(b.Name) })
	for i := range sets {
		addrs := slices.Clone(sets[i].Addresses)
		slices.SortFunc(addrs, func(a, b netip.Addr) int {
			return cmp.Or(cmp.Compare(a.BitLen(), b.BitLen()), a.Compare(b))
		})
		sets[i].Addresses = slices.Compact(addrs)
	}
}

// ConfigMap returns the data of the CoreDNS ConfigMap at an SOA serial.
func (d Data) ConfigMap(serial uint32) map[string]string {
	m := map[string]string{api.DataCorefile: d.corefile(), api.DataZone: d.file(serial)}
	if len(d.extra) > 0 {
		m[api.DataHosts] = d.hosts()
	}
	return m
}

// size is that of the data at the longest serial, so that no later serial can
// cross the bound.
func (d Data) size() int {
	n := 0
	for _, v := range d.ConfigMap(^uint32(0)) {
		n += len(v)
	}
	return n
}

// Hash is the hexadecimal SHA-256 of the zone data: everything served but the
// serial (DN-10).
func (d Data) Hash() string { return hash(d.records(), d.hosts(), len(d.extra) > 0) }

// ttl of every record, in seconds (DN-01). zone.db names it on every line: no
// directive, nothing relative.
const ttl = "30"

// file is zone.db: the SOA, then every other record.
func (d Data) file(serial uint32) string { return soa(string(d.zone)+".", serial) + d.records() }

func (d Data) records() string {
	var b strings.Builder
	apex := string(d.zone) + "."
	b.WriteString(apex + " " + ttl + " IN NS " + apex + "\n")
	for _, s := range d.Primary {
		if s.Origin == Parent {
			b.WriteString(string(s.Name) + ". " + ttl + " IN " + parentRecord + "\n")
		}
		for _, a := range s.Addresses {
			kind := "A"
			if a.Is6() {
				kind = "AAAA"
			}
			b.WriteString(string(s.Name) + ". " + ttl + " IN " + kind + " " + a.String() + "\n")
		}
	}
	return b.String()
}

// hosts is the file of CoreDNS's hosts plugin, for all extra zones.
func (d Data) hosts() string {
	var b strings.Builder
	for _, s := range d.Extra {
		for _, a := range s.Addresses {
			b.WriteString(a.String() + " " + string(s.Name) + "\n")
		}
	}
	return b.String()
}
