package zone

import (
	"math"
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
type Origin uint8

// The origins, in the order in which they win.
const (
	Reserved Origin = iota // the apex: the gateway's own address (DN-04)
	Dynamic                // the hosts source; replaces the static set whole (DN-02)
	Static                 // spec.dns.records
	Parent                 // no address: keeps a wildcard from names it may not cover
)

// String returns a word for people.
func (o Origin) String() string { return [...]string{"gateway", "hosts", "static", "parent"}[o] }

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
	Primary []Set // in canonical order, the apex first
	Extra   []Set // hosts names inside extra zones, in canonical order

	apex     string // with its final dot
	first    string // zone.db at the first serial, which is all that a render asks for
	records  string // the end of it: all but the SOA
	hosts    string // the file of the hosts plugin
	corefile string
	extra    bool // there are extra zones, and so a hosts file
}

// New merges static records and the hosts source into zone data. lb is the
// apex's address.
func New(dns model.DNS, lb netip.Addr, hostsText string) (Data, []Problem) {
	r := hostsReader{zone: dns.Zone, extra: dns.ExtraZones}
	if problems := r.read(hostsText); len(problems) > 0 {
		return Data{}, problems
	}
	d := Data{apex: string(dns.Zone) + ".", corefile: corefile(dns), extra: len(dns.ExtraZones) > 0}
	apex := []Set{{Name: dns.Zone, Addresses: []netip.Addr{lb}, Origin: Reserved}}
	d.Primary, d.Extra = sets(apex, r.primary, dns.Zone), sets(nil, r.foreign, "")
	if len(d.Primary)-len(apex)+len(d.Extra) > MaxHostsNames {
		return Data{}, []Problem{{rules.HostsNames, 0}}
	}
	d.merge(dns)
	d.first = d.file(FirstSerial)
	d.records, d.hosts = d.first[len(soa(d.apex, FirstSerial)):], d.hostsText()
	if d.size() > MaxConfigBytes {
		return Data{}, []Problem{{rules.ConfigSize, 0}}
	}
	return d, nil
}

// merge adds the static records that no hosts name replaces, and the empty
// parents.
func (d *Data) merge(dns model.DNS) {
	static := make(map[model.Name][]netip.Addr, len(dns.Records))
	for _, r := range dns.Records {
		static[r.Name] = r.Addresses
	}
	for i := range d.Primary {
		s := &d.Primary[i]
		if _, s.Shadowed = static[s.Name]; s.Shadowed {
			delete(static, s.Name)
		}
	}
	var others []Set
	for name, addrs := range static {
		others = append(others, Set{Name: name, Addresses: sortedAddresses(addrs), Origin: Static})
	}
	others = append(others, emptyParents(others, d.Primary)...)
	// What the hosts source said is in order already: the few others go between.
	slices.SortFunc(others, func(a, b Set) int { return a.Name.Compare(b.Name) })
	if len(others) > 0 {
		d.Primary = mergeSorted(d.Primary, others)
	}
}

func mergeSorted(a, b []Set) []Set {
	out := make([]Set, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Name.Compare(b[0].Name) < 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// ConfigMap returns the data of the CoreDNS ConfigMap at an SOA serial.
func (d Data) ConfigMap(serial uint32) map[string]string {
	m := map[string]string{api.DataCorefile: d.corefile, api.DataZone: d.first}
	if serial != FirstSerial {
		m[api.DataZone] = soa(d.apex, serial) + d.records
	}
	if d.extra {
		m[api.DataHosts] = d.hosts
	}
	return m
}

// size is that of the data at the longest serial, so that no later serial can
// cross the bound.
func (d Data) size() int {
	return len(d.corefile) + len(soa(d.apex, math.MaxUint32)) + len(d.records) + len(d.hosts)
}

// Hash is the hexadecimal SHA-256 of the zone data: everything served but the
// serial (DN-10).
func (d Data) Hash() string { return hash(d.records, d.hosts, d.extra) }

// ttl of every record, in seconds (DN-01). zone.db names it on every line: no
// directive, nothing relative.
const ttl = "30"

// file writes zone.db: the SOA, then every other record.
func (d Data) file(serial uint32) string {
	start := soa(d.apex, serial) + d.apex + " " + ttl + " IN NS " + d.apex + "\n"
	size := len(start)
	for _, s := range d.Primary {
		size += max(1, len(s.Addresses)) * (len(s.Name) + len(". "+ttl+" IN AAAA ") + len("255.255.255.255\n"))
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(start)
	var addr [netipText]byte
	for _, s := range d.Primary {
		if s.Origin == Parent {
			b.WriteString(string(s.Name) + ". " + ttl + " IN " + parentRecord + "\n")
		}
		for _, a := range s.Addresses {
			b.WriteString(string(s.Name))
			if a.Is4() {
				b.WriteString(". " + ttl + " IN A ")
			} else {
				b.WriteString(". " + ttl + " IN AAAA ")
			}
			b.Write(a.AppendTo(addr[:0]))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// hostsText is the file of CoreDNS's hosts plugin, for all extra zones.
func (d Data) hostsText() string {
	var b strings.Builder
	var addr [netipText]byte
	for _, s := range d.Extra {
		for _, a := range s.Addresses {
			b.Write(a.AppendTo(addr[:0]))
			b.WriteString(" " + string(s.Name) + "\n")
		}
	}
	return b.String()
}

// netipText is the room that the text of any address needs.
const netipText = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255")
