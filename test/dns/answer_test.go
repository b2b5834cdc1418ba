package dns_test

import (
	"slices"
	"testing"

	"tsunaro.io/gateway/test/dns"
)

// TestRFC4592 holds the oracle to the answers that section 2.2.1 states, in its
// order, and to those of section 4 that need nothing but addresses. AAAA stands
// for TXT and MX, A for SRV, as in the zone's file.
func TestRFC4592(t *testing.T) {
	check(t, oracle(t, "rfc4592"), []row{
		{"host3.example.", "AAAA", "NOERROR [AAAA 2001:db8::10] authority=NS", "synthesized: MX of host3"},
		{"host3.example.", "A", "NOERROR authority=SOA", "the wildcard has no A: no error, no data"},
		{"foo.bar.example.", "AAAA", "NOERROR [AAAA 2001:db8::10] authority=NS", "synthesized: bar does not exist"},
		{"host1.example.", "AAAA", "NOERROR authority=SOA", "not synthesized: host1 exists"},
		{"_telnet._tcp.host1.example.", "A", "NXDOMAIN authority=SOA", "not synthesized: _tcp.host1 exists (without data)"},
		{"ghost.*.example.", "AAAA", "NXDOMAIN authority=SOA", "not synthesized: *.example exists"},
		// What the section says about existence, name by name.
		{"_tcp.host1.example.", "A", "NOERROR authority=SOA", "an empty non-terminal exists"},
		{"host2.example.", "AAAA", "NOERROR authority=SOA", "so does one right beneath the wildcard"},
		{"_tcp.host2.example.", "AAAA", "NOERROR authority=SOA", "and one beneath that"},
		{"x.host2.example.", "AAAA", "NXDOMAIN authority=SOA", "it is a closest encloser, too"},
		{"*.example.", "AAAA", "NOERROR [AAAA 2001:db8::10] authority=NS", "section 2.3: the wildcard's own name is asked for like others"},
		{"*.host1.example.", "AAAA", "NXDOMAIN authority=SOA", "an asterisk in a question has no effect"},
		{"*.foo.example.", "AAAA", "NOERROR [AAAA 2001:db8::10] authority=NS", "it is synthesized like another label"},
		{"*host.example.", "AAAA", "NOERROR [AAAA 2001:db8::10] authority=NS", "section 2.1.1: this is no asterisk label"},
	})
}

// TestAsteriskParent is the part of section 2.2.1 that no user can write: a name
// beneath an asterisk, and an asterisk that is an empty non-terminal.
func TestAsteriskParent(t *testing.T) {
	o := dns.New(dns.Data{Zone: "example", LoadBalancerIP: "192.0.2.53", Records: []dns.Record{
		{Name: "sub.*", Addresses: []string{"192.0.2.1"}},
	}}, 1)
	check(t, o, []row{
		{"sub.*.example.", "AAAA", "NOERROR authority=SOA", "it exists"},
		{"host3.example.", "A", "NOERROR authority=SOA", "section 4.9: the source of synthesis exists without data"},
		{"ghost.*.example.", "A", "NXDOMAIN authority=SOA", "the asterisk is the closest encloser"},
	})
}

// TestWildcards are the eleven questions of case B34.
//
// REQ: DN-03
func TestWildcards(t *testing.T) {
	check(t, oracle(t, "wildcards"), []row{
		{"any.tail.example.", "A", "NOERROR [A 198.51.100.1] authority=NS", ""},
		{"zz.d.tail.example.", "A", "NOERROR [A 198.51.100.9] authority=NS", ""},
		{"x.app.tail.example.", "A", "NXDOMAIN authority=SOA", ""},
		{"app.tail.example.", "AAAA", "NOERROR authority=SOA", ""},
		{"x.flat.d.tail.example.", "A", "NXDOMAIN authority=SOA", ""},
		{"c.d.tail.example.", "A", "NOERROR authority=SOA", ""},
		{"x.c.d.tail.example.", "A", "NXDOMAIN authority=SOA", ""},
		{"x.r.c.d.tail.example.", "A", "NXDOMAIN authority=SOA", ""},
		{"prod.tail.example.", "A", "NOERROR authority=SOA", ""},
		{"x.prod.tail.example.", "A", "NXDOMAIN authority=SOA", ""},
		{"x.db.prod.tail.example.", "A", "NXDOMAIN authority=SOA", ""},
	})
}

// TestGatewayRules holds the oracle to what the product adds to the RFCs.
//
// REQ: DN-01, DN-02, DN-03, DN-04, DN-07
func TestGatewayRules(t *testing.T) {
	check(t, oracle(t, "dynamic"), []row{
		{"both.dyn.example.", "A", "NOERROR [A 192.0.2.101] authority=NS", "the hosts source wins"},
		{"both.dyn.example.", "AAAA", "NOERROR authority=SOA", "in the other family, too"},
		{"v4.dyn.example.", "A", "NOERROR authority=SOA", "likewise"},
		{"kept.dyn.example.", "AAAA", "NOERROR [AAAA 2001:db8::3] authority=NS", "a static name of its own stays"},
		{"new.w.dyn.example.", "A", "NOERROR [A 192.0.2.103] [A 192.0.2.104] authority=NS", "lines of one name add up, each address once"},
		{"other.w.dyn.example.", "A", "NOERROR [A 192.0.2.4] authority=NS", ""},
		{"BOTH.dYn.example.", "A", "NOERROR [A 192.0.2.101] authority=NS", "names have no case"},
		{"dyn.example.", "A", "NOERROR [A 10.99.0.53] authority=NS", "the apex is the gateway"},
		{"dyn.example.", "NS", "NOERROR [NS dyn.example.] additional=A", "and its own name server"},
		{"dyn.example.", "SOA", "NOERROR [SOA dyn.example. hostmaster.invalid. 7 7200 900 1209600 30] authority=NS", ""},
		{"ns.dyn.example.", "A", "NXDOMAIN authority=SOA", "there is no ns label"},
		{"xdyn.example.", "A", "REFUSED", "a zone is not a suffix of characters"},
		{"example.", "NS", "REFUSED", "nor its own parent"},
		{`known\.w.dyn.example.`, "A", "NXDOMAIN authority=SOA", "an escaped dot separates nothing"},
		{`\107nown.w.dyn.example.`, "A", "NOERROR [A 192.0.2.5] authority=NS", "an escape is a spelling"},
	})
	check(t, oracle(t, "extra"), []row{
		{"wiki.corp.example.", "A", "NOERROR [A 198.51.100.40]", "known: local"},
		{"wiki.corp.example.", "AAAA", "NOERROR", "known: local, without a start of authority"},
		{"wiki.corp.example.", "TXT", "forwarded", "another type never is"},
		{"a.corp.example.", "A", "forwarded", "a parent of a known name is unknown"},
		{"corp.example.", "A", "NOERROR [A 198.51.100.43]", "an extra zone's apex is a name like others"},
		{"corp.example.", "SOA", "forwarded", ""},
		{"other.example.", "A", "REFUSED", ""},
	})
}

type row struct{ name, qtype, want, why string }

func check(t *testing.T, o *dns.Oracle, rows []row) {
	t.Helper()
	for _, r := range rows {
		if got := o.Ask(r.name, r.qtype).String(); got != r.want {
			t.Errorf("%s %s: %s, want %s %s", r.name, r.qtype, got, r.want, r.why)
		}
	}
}

func oracle(t *testing.T, name string) *dns.Oracle {
	t.Helper()
	return dns.New(zone(t, name).Data, 7)
}

func zone(t *testing.T, name string) dns.Case {
	t.Helper()
	all := cases(t)
	i := slices.IndexFunc(all, func(c dns.Case) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no zone %q", name)
	}
	return all[i]
}

func cases(t *testing.T) []dns.Case {
	t.Helper()
	cases, err := dns.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 12 {
		t.Fatalf("%d zones, want at least 12", len(cases))
	}
	return cases
}
