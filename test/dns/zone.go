package dns

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Data is what a user wrote: the part of a gateway and of its hosts source that
// decides about DNS. The fields are spelled as in the API.
type Data struct {
	Zone           string      `yaml:"zone"`
	LoadBalancerIP string      `yaml:"loadBalancerIP"`
	Records        []Record    `yaml:"records"`
	ExtraZones     []ExtraZone `yaml:"extraZones"`
	Hosts          string      `yaml:"hosts"`
}

// Record is a static record set; its name is relative to the zone, or absolute
// with a final dot.
type Record struct {
	Name      string   `yaml:"name"`
	Addresses []string `yaml:"addresses"`
}

// ExtraZone is a zone that is forwarded but for local hosts.
type ExtraZone struct {
	Zone      string   `yaml:"zone"`
	Upstreams []string `yaml:"upstreams"`
}

// TTL is that of every record, of a negative answer too (DN-01; RFC 2308,
// section 5: the lesser of the SOA record's own TTL and its MINIMUM).
const TTL = 30

// node is a name that exists: its data by type, nothing where only names beneath
// it own data (an empty non-terminal, RFC 4592, section 2.2.2).
type node map[string][]string

// Oracle answers for one gateway.
type Oracle struct {
	apex  name
	soa   string
	nodes map[name]node
	extra []name
	hosts map[name]node // of the extra zones
}

// New reads the data, at an SOA serial. It expects data that the product accepts,
// and panics on other.
func New(d Data, serial uint32) *Oracle {
	o := &Oracle{apex: mustName(d.Zone), nodes: map[name]node{}, hosts: map[name]node{}}
	o.soa = fmt.Sprintf("%s hostmaster.invalid. %d 7200 900 1209600 %d", o.apex, serial, TTL)
	o.nodes[o.apex] = node{"SOA": {o.soa}, "NS": {o.apex.String()}}
	for _, e := range d.ExtraZones {
		o.extra = append(o.extra, mustName(e.Zone))
	}
	static := map[name][]string{}
	for _, r := range d.Records {
		owner := r.Name + "." + d.Zone
		if strings.HasSuffix(r.Name, ".") {
			owner = r.Name
		}
		static[mustName(owner)] = r.Addresses
	}
	dynamic := readHosts(d.Hosts)
	for n, addresses := range static {
		if dynamic[n] == nil { // DN-02: the whole set or nothing of it
			o.own(o.nodes, n, addresses)
		}
	}
	for n, addresses := range dynamic {
		if n.in(o.apex) {
			o.own(o.nodes, n, addresses)
		} else if o.extraZone(n) {
			o.own(o.hosts, n, addresses)
		}
	}
	o.own(o.nodes, o.apex, []string{d.LoadBalancerIP}) // DN-04
	o.parents()
	return o
}

// own gives n addresses, each once.
func (o *Oracle) own(nodes map[name]node, n name, addresses []string) {
	if nodes[n] == nil {
		nodes[n] = node{}
	}
	for _, s := range addresses {
		a := netip.MustParseAddr(s)
		t := "A"
		if a.Is6() {
			t = "AAAA"
		}
		if !slices.Contains(nodes[n][t], a.String()) {
			nodes[n][t] = append(nodes[n][t], a.String())
		}
	}
}

// parents makes every name between an owner and the apex exist.
func (o *Oracle) parents() {
	for _, n := range o.sorted() {
		for n != o.apex {
			n = n.parent()
			if o.nodes[n] == nil {
				o.nodes[n] = node{}
			}
		}
	}
}

func (o *Oracle) extraZone(n name) bool {
	return slices.ContainsFunc(o.extra, n.in)
}

// sorted returns the names that exist in the zone, in an order that never
// changes.
func (o *Oracle) sorted() []name {
	names := make([]name, 0, len(o.nodes))
	for n := range o.nodes {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return names
}

// readHosts reads a hosts source as the product documents it: an address, then
// names; what follows '#' is a comment. A loopback address's line is no more than
// an entry for foreign names here (DN-13).
func readHosts(text string) map[name][]string {
	hosts := map[name][]string{}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		for i := 1; i < len(fields); i++ {
			n := mustName(fields[i])
			hosts[n] = append(hosts[n], fields[0])
		}
	}
	return hosts
}
