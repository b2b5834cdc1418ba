package zone

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// boundHosts is a hosts source at the bounds, in no order: 16,384 names that come
// to just under 1 MiB of configuration.
func boundHosts() string {
	var b strings.Builder
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(MaxHostsNames) {
		fmt.Fprintf(&b, "10.%d.%d.%d %s%05d.lab.example\n", i>>16, i>>8&255, i&255, strings.Repeat("h", 25), i)
	}
	return b.String()
}

// BenchmarkBound renders a hosts source at the bound; BenchmarkBoundPeer has the
// field's own parser read the zone that comes out.
func BenchmarkBound(b *testing.B) {
	d, hosts := spec("lab.example", nil), boundHosts()
	b.SetBytes(int64(len(hosts)))
	b.ReportAllocs()
	for b.Loop() {
		if len(mustNew(b, d, hosts).ConfigMap(1)) != 2 {
			b.Fatal("no zone")
		}
	}
}

func BenchmarkBoundPeer(b *testing.B) {
	zone := mustNew(b, spec("lab.example", nil), boundHosts()).ConfigMap(1)["zone.db"]
	b.SetBytes(int64(len(zone)))
	b.ReportAllocs()
	for b.Loop() {
		p, n := dns.NewZoneParser(strings.NewReader(zone), "", "zone.db"), 0
		for _, ok := p.Next(); ok; _, ok = p.Next() {
			n++
		}
		if n != MaxHostsNames+3 || p.Err() != nil {
			b.Fatal(n, p.Err())
		}
	}
}

// BenchmarkUnchanged is what a hosts source costs that says the same as before:
// read, hashed, found equal.
func BenchmarkUnchanged(b *testing.B) {
	d, hosts := spec("lab.example", nil), boundHosts()
	stored := mustNew(b, d, hosts).First()
	b.ReportAllocs()
	for b.Loop() {
		if r, err := mustNew(b, d, hosts).Next(stored); r != stored || err != nil {
			b.Fatal(r, err)
		}
	}
}
