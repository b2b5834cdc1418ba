//go:build lab && linux

package dns

import (
	"maps"
	"testing"
	"time"

	"github.com/miekg/dns"

	oracle "tsunaro.io/gateway/test/dns"
	"tsunaro.io/gateway/test/lab/dns/internal/rendered"
	"tsunaro.io/gateway/test/testbed/coredns"
)

// soon is how long after its projection a zone may be served at the latest: the
// file plugin looks every second.
const soon = 3 * time.Second

// TestSerials is case B33: five versions of a hosts source, their serials, and
// the same process that serves what each of them says.
//
// REQ: DN-10, DN-11, DN-12, DL-01
func TestSerials(t *testing.T) {
	const v1 = "198.51.100.8 app.tail.example\n"
	d := oracle.Data{
		Zone: "tail.example", LoadBalancerIP: "10.99.0.53", Hosts: v1,
		ExtraZones: []oracle.ExtraZone{{Zone: "corp.example", Upstreams: []string{upstream4}}},
	}
	g := rendered.New(t, d)
	startUpstream(t, g.UID)
	s := coredns.Start(t, g.Rendered)
	process := s.Process()
	client := coredns.Dial(t, "udp")
	revision := g.Revision(t)
	if revision.Serial != 1 {
		t.Fatalf("v1 has serial %d, want 1", revision.Serial)
	}
	served := g.Data
	for _, v := range []struct {
		name, hosts string
		serial      uint32
		app         string
		wiki        string // a name of the extra zone
	}{
		{"v2, cosmetic", "# note\r\n\r\n198.51.100.8\tAPP.tail.example   # same\r\n", 1, "198.51.100.8", "NXDOMAIN"},
		{"v3, another address", "198.51.100.88 app.tail.example\n", 2, "198.51.100.88", "NXDOMAIN"},
		{"v4, as v1", v1, 3, "198.51.100.8", "NXDOMAIN"},
		{"v5, in an extra zone only", v1 + "198.51.100.40 wiki.corp.example\n", 4, "198.51.100.8", "198.51.100.40"},
	} {
		d.Hosts = v.hosts
		next := rendered.New(t, d).Zone
		planned, err := next.Next(revision)
		if err != nil || planned.Serial != v.serial {
			t.Fatalf("%s: serial %d (%v), want %d", v.name, planned.Serial, err, v.serial)
		}
		data := next.ConfigMap(planned.Serial)
		if same := maps.Equal(data, served); same != (planned == revision) {
			t.Errorf("%s: same data %v, same revision %v", v.name, same, planned == revision)
		}
		s.Swap(data)
		took := coredns.Within(t, soon, v.name, func() bool {
			return serial(t, client, "tail.example.") == v.serial && client.Address(t, "app.tail.example.", dns.TypeA) == v.app
		})
		tookHosts := coredns.Within(t, hostsReload, v.name, func() bool {
			return client.Address(t, "wiki.corp.example.", dns.TypeA) == v.wiki
		})
		t.Logf("%s: served after %v; the extra zone's names %v later", v.name, took.Round(time.Millisecond), tookHosts.Round(time.Millisecond))
		revision, served = planned, data
	}
	t.Run("a serial once served", func(t *testing.T) { sameSerial(t, s, client, d, revision.Serial) })
	if now := s.Process(); now != process {
		t.Errorf("now %v, before %v: CoreDNS was started again", now, process)
	}
}

// hostsReload is the hosts plugin's own interval, and room.
const hostsReload = 5*time.Second + soon

// sameSerial is the control: changed data under the serial that is served stays
// unseen, so every change needs another one. Any other is taken, a lower one too:
// who resets the serial is found out by nobody but us.
func sameSerial(t *testing.T, s *coredns.Server, client *coredns.Client, d oracle.Data, current uint32) {
	d.Hosts = "198.51.100.99 app.tail.example\n"
	changed := rendered.New(t, d).Zone
	s.Swap(changed.ConfigMap(current))
	over := time.Now().Add(soon)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for time.Now().Before(over) {
		if got := client.Address(t, "app.tail.example.", dns.TypeA); got != "198.51.100.8" {
			t.Fatalf("served %s under an old serial", got)
		}
		<-tick.C
	}
	s.Swap(changed.ConfigMap(current - 2))
	coredns.Within(t, soon, "a lower serial", func() bool {
		return client.Address(t, "app.tail.example.", dns.TypeA) == "198.51.100.99"
	})
}

// serial returns that of the zone's SOA.
func serial(t *testing.T, client *coredns.Client, zone string) uint32 {
	t.Helper()
	reply, err := client.Ask(zone, dns.TypeSOA)
	if err != nil {
		t.Fatal(err)
	}
	for _, rr := range reply.Answer {
		if soa, ok := rr.(*dns.SOA); ok {
			return soa.Serial
		}
	}
	t.Fatalf("no SOA: %v", reply)
	return 0
}
