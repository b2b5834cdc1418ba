//go:build lab && linux

package reload

import (
	"testing"
	"time"

	"github.com/miekg/dns"

	oracle "tsunaro.io/gateway/test/dns"
	"tsunaro.io/gateway/test/lab/dns/internal/rendered"
	"tsunaro.io/gateway/test/testbed/coredns"
)

const (
	soon = 3 * time.Second // the file plugin looks every second

	// The hosts plugin looks every 5 s, and the cache keeps what it said 30 s.
	hostsSoon = 5*time.Second + 30*time.Second + soon

	// The global reload looks every 30 s, give or take a quarter, and the new
	// servers take a moment.
	corefileSoon = 37500*time.Millisecond + soon
)

// TestSwapsUnderLoad projects a hundred versions, faster than CoreDNS looks and
// at every moment of its second, while it is asked: no answer is lost, wrong or
// older than one before, and the process is the same.
//
// REQ: DN-11, DN-12
func TestSwapsUnderLoad(t *testing.T) {
	const swaps = 100
	g := rendered.New(t, data(0))
	s := coredns.Start(t, g.Rendered)
	process := s.Process()
	client := coredns.Dial(t, "udp")
	cached := client.Address(t, "now.corp.example.", dns.TypeA)
	l := startLoad(t)
	revision := g.Revision(t)
	tick := time.NewTicker(330 * time.Millisecond) // no part of a second
	defer tick.Stop()
	var extra time.Time // when the extra zone's name was first seen changed
	start := time.Now()
	for n := 1; n <= swaps; n++ {
		next := rendered.New(t, data(n)).Zone
		var err error
		if revision, err = next.Next(revision); err != nil {
			t.Fatal(err)
		}
		l.swapped.Store(int64(n))
		s.Swap(next.ConfigMap(revision.Serial))
		<-tick.C
		if extra.IsZero() && client.Address(t, "now.corp.example.", dns.TypeA) != cached {
			extra = time.Now()
		}
	}
	took := coredns.Within(t, soon, "the last version", func() bool {
		return version(client.Address(t, "now.tail.example.", dns.TypeA)) == swaps
	})
	faults := l.end()
	for i, fault := range faults {
		if i == 20 {
			break
		}
		t.Error(fault)
	}
	versions := 0
	l.versions.Range(func(any, any) bool { versions++; return true })
	t.Logf("%d swaps, %d versions seen, %d questions, %d faults; the last served after %v", swaps, versions, l.asked.Load(), len(faults), took.Round(time.Millisecond))
	if n := l.closed.Load(); n > 0 {
		t.Errorf("%d connections closed", n)
	}
	if asked := l.asked.Load(); asked < 3000 || versions < swaps/5 {
		t.Errorf("%d questions, %d versions: too few", asked, versions)
	}
	coredns.Within(t, hostsSoon-time.Since(start), "the extra zone's name changed", func() bool {
		if extra.IsZero() && client.Address(t, "now.corp.example.", dns.TypeA) != cached {
			extra = time.Now()
		}
		return !extra.IsZero()
	})
	t.Logf("a name of the extra zone, asked for before, changed %v after the first swap", extra.Sub(start).Round(time.Millisecond))
	if now := s.Process(); now != process {
		t.Errorf("now %v, before %v: CoreDNS was started again", now, process)
	}
}

// TestCorefile changes the Corefile of a running server: the same process serves
// the new zone after the global reload's interval, and loses no answer but where
// a client keeps a TCP connection open, which it closes (RFC 7766, section 6.2.3
// has clients prepared for that).
//
// REQ: DN-07, DN-11, DN-12
func TestCorefile(t *testing.T) {
	d := data(0)
	g := rendered.New(t, d)
	s := coredns.Start(t, g.Rendered)
	process := s.Process()
	d.ExtraZones = append(d.ExtraZones, oracle.ExtraZone{Zone: "old.test", Upstreams: []string{"192.0.2.53"}})
	d.Hosts += "198.51.100.60 www.old.test\n"
	changed := rendered.New(t, d).Zone
	revision, err := changed.Next(g.Revision(t))
	if err != nil || revision.Serial != 2 {
		t.Fatal(revision, err)
	}
	client := coredns.Dial(t, "udp")
	if got := client.Address(t, "www.old.test.", dns.TypeA); got != "REFUSED" {
		t.Fatalf("before: %s", got)
	}
	l := startLoad(t)
	s.Swap(changed.ConfigMap(revision.Serial))
	took := coredns.Within(t, corefileSoon, "the new zone", func() bool {
		return client.Address(t, "www.old.test.", dns.TypeA) == "198.51.100.60"
	})
	faults := l.end()
	t.Logf("the new zone is served after %v; %d questions meanwhile, %d faults, %d connection closed", took.Round(time.Millisecond), l.asked.Load(), len(faults), l.closed.Load())
	for _, fault := range faults {
		t.Error(fault)
	}
	if n := l.closed.Load(); n > 1 {
		t.Errorf("%d connections closed, want at most the one that the old server had", n)
	}
	if now := s.Process(); now != process {
		t.Errorf("now %v, before %v: CoreDNS was started again", now, process)
	}
}
