package zone

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

var lb = netip.MustParseAddr("10.99.0.53")

func spec(zone string, records map[string]string, extra ...string) model.DNS {
	d := model.DNS{Zone: model.Name(zone)}
	for _, name := range slices.Sorted(maps.Keys(records)) {
		r := model.Record{Name: model.Name(name)}
		for _, a := range strings.Fields(records[name]) {
			r.Addresses = append(r.Addresses, netip.MustParseAddr(a))
		}
		d.Records = append(d.Records, r)
	}
	for _, z := range extra {
		d.ExtraZones = append(d.ExtraZones, model.ExtraZone{Zone: model.Name(z), Upstreams: []netip.Addr{netip.MustParseAddr("192.0.2.53")}})
	}
	return d
}

func mustNew(t testing.TB, d model.DNS, hosts string) Data {
	t.Helper()
	data, problems := New(d, lb, hosts)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return data
}

// parsed reads zone.db with the field's own parser and returns its records but
// the SOA, by "name type", and the serial.
func parsed(t testing.TB, text string) (records map[string][]string, serial uint32) {
	t.Helper()
	records = map[string][]string{}
	p := dns.NewZoneParser(strings.NewReader(text), "", "zone.db")
	for rr, ok := p.Next(); ok; rr, ok = p.Next() {
		h := rr.Header()
		if h.Ttl != 30 || h.Class != dns.ClassINET {
			t.Errorf("%v: TTL or class", rr)
		}
		key := h.Name + " " + dns.Type(h.Rrtype).String()
		switch r := rr.(type) {
		case *dns.SOA:
			serial = r.Serial
			if r.Ns != h.Name || r.Mbox != "hostmaster.invalid." || r.Refresh != 7200 || r.Retry != 900 || r.Expire != 1209600 || r.Minttl != 30 {
				t.Errorf("SOA: %v", r)
			}
		case *dns.NS:
			records[key] = append(records[key], r.Ns)
		case *dns.A:
			records[key] = append(records[key], r.A.String())
		case *dns.AAAA:
			records[key] = append(records[key], r.AAAA.String())
		case *dns.RFC3597:
			records[key] = append(records[key], r.Rdata)
		default:
			t.Errorf("a record that has no place here: %v", rr)
		}
	}
	if err := p.Err(); err != nil {
		t.Errorf("zone.db does not parse: %v\n%s", err, text)
	}
	return records, serial
}

// TestZone: what the zone says, read back from its text.
//
// REQ: DN-01, DN-02, DN-04, DN-10
func TestZone(t *testing.T) {
	d := mustNew(t, spec("lab.example", map[string]string{
		"nas.lab.example":    "192.168.10.7 2001:db8::7",
		"both.lab.example":   "192.168.10.1 2001:db8::1",
		"*.apps.lab.example": "192.168.10.9 192.168.10.8 192.168.10.9",
	}), "192.168.10.2 both.lab.example other.lab.example\n2001:db8::3 other.lab.example\n10.0.0.1 elsewhere.example\n")
	records, serial := parsed(t, d.ConfigMap(7)["zone.db"])
	want := map[string][]string{
		"lab.example. NS":         {"lab.example."},
		"lab.example. A":          {"10.99.0.53"},
		"nas.lab.example. A":      {"192.168.10.7"},
		"nas.lab.example. AAAA":   {"2001:db8::7"},
		"both.lab.example. A":     {"192.168.10.2"},
		"other.lab.example. A":    {"192.168.10.2"},
		"other.lab.example. AAAA": {"2001:db8::3"},
		"*.apps.lab.example. A":   {"192.168.10.8", "192.168.10.9"},
	}
	if serial != 7 || !maps.EqualFunc(records, want, slices.Equal) {
		t.Errorf("serial %d, records %v,\nwant %v", serial, records, want)
	}
}

// TestEmptyParents: a record at those names alone that have a wildcard beside
// them and nothing else (B34).
//
// REQ: DN-03
func TestEmptyParents(t *testing.T) {
	for name, c := range map[string]struct {
		records string
		want    []string
	}{
		"no wildcard":                   {"a.b.c", nil},
		"wildcard at the apex":          {"* db.prod", []string{"prod"}},
		"only the highest has one":      {"* r.c.d", []string{"d"}},
		"wildcard inside":               {"* *.d flat.d r.c.d", []string{"d", "c.d"}},
		"wildcard inside alone":         {"*.d r.c.d", []string{"c.d"}},
		"the parent exists":             {"* d r.d", nil},
		"wildcard beneath the name":     {"*.a.b.c", nil},
		"nothing but wildcards":         {"* *.b", []string{"b"}},
		"a wildcard elsewhere":          {"*.x a.b", nil},
		"two beneath the same wildcard": {"* a.b c.d", []string{"b", "d"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := map[string]string{}
			for _, r := range strings.Fields(c.records) {
				m[r+".z.example"] = "192.0.2.1"
			}
			records, _ := parsed(t, mustNew(t, spec("z.example", m), "").ConfigMap(1)["zone.db"])
			var got []string
			for key := range records {
				if n, ok := strings.CutSuffix(key, ".z.example. TYPE65280"); ok {
					got = append(got, n)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("records at %v, want %v", got, c.want)
			}
		})
	}
}

// TestExtraZones: names inside an extra zone go to the hosts file, without extra
// zones there is none, and the hash knows the difference.
//
// REQ: DN-07, DN-09, DN-10
func TestExtraZones(t *testing.T) {
	const hosts = "192.0.2.40 wiki.corp.example deep.a.corp.example corp.example in.lab.example\n"
	with := mustNew(t, spec("lab.example", nil, "corp.example", "b.example"), hosts)
	without := mustNew(t, spec("lab.example", nil), hosts)
	data := with.ConfigMap(1)
	if got, want := data["hosts"], "192.0.2.40 corp.example\n192.0.2.40 deep.a.corp.example\n192.0.2.40 wiki.corp.example\n"; got != want {
		t.Errorf("hosts: %q, want %q", got, want)
	}
	if data["zone.db"] != without.ConfigMap(1)["zone.db"] {
		t.Error("extra zones change the primary zone")
	}
	if _, ok := without.ConfigMap(1)["hosts"]; ok {
		t.Error("a hosts key without extra zones")
	}
	if with.Hash() == without.Hash() {
		t.Error("the hash does not cover the hosts of extra zones")
	}
	if strings.Count(data["Corefile"], "reload\n") != 3 || strings.Index(data["Corefile"], "b.example:53") > strings.Index(data["Corefile"], "corp.example:53") {
		t.Errorf("Corefile:\n%s", data["Corefile"])
	}
}

// TestBounds: just inside and just outside (DN-06), as a whole and complete.
//
// REQ: DN-06
func TestBounds(t *testing.T) {
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("192.0.2." + strconv.Itoa(i%250+1) + " h" + strconv.Itoa(i) + ".lab.example\n")
		}
		return b.String()
	}
	pad := func(text string, size int) string { return text + strings.Repeat("#", size-len(text)) }
	longNames := func(n int) string {
		var b strings.Builder
		for i := range n {
			label := strings.Repeat("x", 57) + strconv.Itoa(100000+i)
			b.WriteString("192.0.2.1 " + label + ".lab.example\n")
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		hosts string
		want  rules.ID
	}{
		"16,384 names":                  {names(16384), ""},
		"16,385 names":                  {names(16385), rules.HostsNames},
		"1 MiB":                         {pad(names(1), 1<<20), ""},
		"1 MiB and a byte":              {pad(names(1), 1<<20+1), rules.HostsSize},
		"1 MiB of configuration":        {longNames(11000), ""},
		"more than 1 MiB of it":         {longNames(12000), rules.ConfigSize},
		"names of other zones are free": {strings.ReplaceAll(names(20000), "lab.example", "ads.example"), ""},
		"one name twice counts as one":  {names(16384) + "192.0.2.9 h1.lab.example\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, problems := New(spec("lab.example", nil), lb, c.hosts)
			if c.want != "" {
				if len(problems) != 1 || problems[0] != (Problem{c.want, 0}) || len(d.Primary) > 0 {
					t.Errorf("problems %v, want %s and nothing else", problems, c.want)
				}
				return
			}
			if len(problems) > 0 || d.size() > MaxConfigBytes {
				t.Errorf("problems %v, size %d", problems, d.size())
			}
		})
	}
}
