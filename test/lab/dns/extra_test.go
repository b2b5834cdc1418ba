//go:build lab && linux

package dns

import (
	"fmt"
	"testing"

	oracle "tsunaro.io/gateway/test/dns"
	"tsunaro.io/gateway/test/lab/dns/internal/rendered"
	"tsunaro.io/gateway/test/testbed/coredns"
)

// legacy is case B40's data, with upstreams of both families that answer here.
var legacy = oracle.Data{
	Zone: "tail.example", LoadBalancerIP: "10.99.0.53",
	Records: []oracle.Record{{Name: "*.corp", Addresses: []string{"198.51.100.1"}}},
	ExtraZones: []oracle.ExtraZone{
		{Zone: "corp.example", Upstreams: []string{upstream4}},
		{Zone: "six.test", Upstreams: []string{upstream6}},
	},
	Hosts: "198.51.100.40 wiki.corp.example wiki.tail.example\n198.51.100.41 deep.a.corp.example\n2001:db8::42 known.six.test\n",
}

var legacyZone = []string{
	"wiki.corp.example. 60 IN A 203.0.113.1", // hidden by the local host
	"wiki.corp.example. 60 IN AAAA 2001:db8::bad",
	`wiki.corp.example. 60 IN TXT "upstream"`,
	"wiki.corp.example. 60 IN MX 10 mail.corp.example.",
	"wiki.corp.example. 60 IN HTTPS 1 . alpn=h2",
	"a.corp.example. 60 IN A 203.0.113.2",
	"corp.example. 60 IN SOA corp.example. root.corp.example. 5 7200 900 1209600 60",
	"www.six.test. 60 IN AAAA 2001:db8::1",
	`wiki.tail.example. 60 IN TXT "leaked"`, // which nobody may ask it for
	"unknown.tail.example. 60 IN A 203.0.113.3",
	"x.other.example. 60 IN A 203.0.113.4",
}

// TestExtraZones is case B40: known names of an extra zone have the addresses of
// the hosts source, and whatever else is asked there goes to the upstreams. The
// primary zone beside them keeps everything to itself.
//
// REQ: DN-03, DN-07, DN-12
func TestExtraZones(t *testing.T) {
	g := rendered.New(t, legacy)
	u := startUpstream(t, g.UID, legacyZone...)
	coredns.Start(t, g.Rendered)
	u.checkAll(t, []question{
		{"wiki.corp.example.", "A", "NOERROR", "198.51.100.40", false},
		{"wiki.corp.example.", "AAAA", "NOERROR", "", false},
		{"wiki.corp.example.", "TXT", "NOERROR", `"upstream"`, true},
		{"wiki.corp.example.", "MX", "NOERROR", "10 mail.corp.example.", true},
		{"wiki.corp.example.", "HTTPS", "NOERROR", `1 . alpn="h2"`, true},
		{"deep.a.corp.example.", "A", "NOERROR", "198.51.100.41", false},
		{"a.corp.example.", "A", "NOERROR", "203.0.113.2", true},
		{"nope.corp.example.", "A", "NXDOMAIN", "", true},
		{"corp.example.", "SOA", "NOERROR", "corp.example. root.corp.example. 5 7200 900 1209600 60", true},
		{"known.six.test.", "AAAA", "NOERROR", "2001:db8::42", false},
		{"known.six.test.", "A", "NOERROR", "", false},
		{"www.six.test.", "AAAA", "NOERROR", "2001:db8::1", true},
		{"x.other.example.", "A", "REFUSED", "", false},
		// The primary zone: the same names and types stay at home.
		{"wiki.tail.example.", "A", "NOERROR", "198.51.100.40", false},
		{"wiki.tail.example.", "AAAA", "NOERROR", "", false},
		{"wiki.tail.example.", "TXT", "NOERROR", "", false},
		{"unknown.tail.example.", "A", "NXDOMAIN", "", false},
		{"any.corp.tail.example.", "A", "NOERROR", "198.51.100.1", false},
	})
	o := oracle.New(legacy, 1)
	for _, network := range coredns.Networks {
		client := coredns.Dial(t, network)
		for _, qt := range []string{"A", "AAAA"} { // the whole message, flags and TTL included
			q := coredns.Question("wiki.corp.example.", qtype(qt))
			reply, err := client.Exchange(q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := differences(q, reply, o.Ask("wiki.corp.example.", qt)); len(diff) > 0 {
				t.Errorf("%s over %s: %v", qt, network, diff)
			}
		}
	}
}

// TestHostsAndForward is the control: a primary zone made the way extra zones are
// would ask the upstream about names that are its own.
//
// REQ: DN-12
func TestHostsAndForward(t *testing.T) {
	g := rendered.New(t, legacy)
	g.Data["Corefile"] = `tail.example:53 {
    bind 0.0.0.0
    hosts hosts tail.example {
        fallthrough
    }
    forward . ` + upstream4 + `
}
`
	g.Data["hosts"] = "198.51.100.40 wiki.tail.example\n"
	u := startUpstream(t, g.UID, legacyZone...)
	coredns.Start(t, g.Rendered)
	u.checkAll(t, []question{
		{"wiki.tail.example.", "A", "NOERROR", "198.51.100.40", false},
		{"wiki.tail.example.", "TXT", "NOERROR", `"leaked"`, true},
		{"unknown.tail.example.", "A", "NOERROR", "203.0.113.3", true},
	})
}

// TestBadExtraZones is the other half of case B40: what is refused before any
// CoreDNS could misread it.
//
// REQ: DN-08
func TestBadExtraZones(t *testing.T) {
	good := oracle.ExtraZone{Zone: "corp.example", Upstreams: []string{"203.0.113.53"}}
	nine := make([]string, 9)
	for i := range nine {
		nine[i] = fmt.Sprintf("203.0.113.%d", i+1)
	}
	bad := [][]oracle.ExtraZone{{good, good}}
	for _, upstreams := range [][]string{
		{}, {"203.0.113.53", "203.0.113.53"}, {legacy.LoadBalancerIP}, {"203.0.113.053"}, {"127.0.0.53"}, {"resolver.example"}, nine,
	} {
		bad = append(bad, []oracle.ExtraZone{{Zone: good.Zone, Upstreams: upstreams}})
	}
	for _, zone := range []string{"tail.example", "sub.tail.example", "example"} {
		bad = append(bad, []oracle.ExtraZone{{Zone: zone, Upstreams: good.Upstreams}})
	}
	d := legacy
	d.Hosts = ""
	for _, d.ExtraZones = range bad {
		if _, err := rendered.Render(t, d); err == nil {
			t.Errorf("not refused: %v", d.ExtraZones)
		}
	}
	d.ExtraZones = []oracle.ExtraZone{good}
	if _, err := rendered.Render(t, d); err != nil {
		t.Errorf("refused: %v", err)
	}
}
