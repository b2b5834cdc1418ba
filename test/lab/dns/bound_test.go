//go:build lab && linux

package dns

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/renderer/zone"
	oracle "tsunaro.io/gateway/test/dns"
	"tsunaro.io/gateway/test/lab/dns/internal/rendered"
	"tsunaro.io/gateway/test/testbed/coredns"
)

// TestBoundCost serves the largest zone there may be: all the names that a hosts
// source may hold, filling the ConfigMap. Under -v it prints what that costs
// CoreDNS beside a zone of one name.
//
// REQ: DN-06, DN-12
func TestBoundCost(t *testing.T) {
	for _, c := range []struct {
		why   string
		names int
	}{{"one name", 1}, {"the bound", zone.MaxHostsNames}} {
		t.Run(c.why, func(t *testing.T) {
			g := rendered.New(t, bound(c.names, 0))
			size := 0
			for _, text := range g.Data {
				size += len(text)
			}
			if c.names > 1 && size < zone.MaxConfigBytes*99/100 {
				t.Errorf("%d bytes are not the bound", size)
			}
			start := time.Now()
			s := coredns.Start(t, g.Rendered)
			started := time.Since(start)
			before, _ := s.RSS()
			client := coredns.Dial(t, "udp")
			last := fmt.Sprintf("h%05d-", c.names-1)
			name := g.Zone.Primary[slices.IndexFunc(g.Zone.Primary, func(set zone.Set) bool { return strings.HasPrefix(string(set.Name), last) })].Name
			var waits, work []time.Duration
			revision := g.Revision(t)
			for n := 1; n <= 5; n++ {
				next := rendered.New(t, bound(c.names, n)).Zone
				var err error
				if revision, err = next.Next(revision); err != nil {
					t.Fatal(err)
				}
				data := next.ConfigMap(revision.Serial)
				spent := s.CPU()
				s.Swap(data)
				waits = append(waits, coredns.Within(t, soon, "the next version", func() bool {
					return client.Address(t, string(name)+".", dns.TypeA) == fmt.Sprintf("10.%d.0.1", n)
				}))
				work = append(work, s.CPU()-spent)
			}
			after, peak := s.RSS()
			slices.Sort(waits)
			slices.Sort(work)
			t.Logf("%d names, ConfigMap %d bytes: started in %v, %d MiB resident; a change served after %v to %v, %v of CPU; then %d MiB, %d at most",
				c.names, size, started.Round(time.Millisecond), before>>20, waits[0].Round(time.Millisecond), waits[4].Round(time.Millisecond), work[2], after>>20, peak>>20)
		})
	}
}

// bound is a hosts source of so many names. The last name's address tells the
// version, and names are as long as the ConfigMap has room for when they are as
// many as may be.
func bound(names, version int) oracle.Data {
	const zoneName, line = "tail.example", zone.MaxConfigBytes / zone.MaxHostsNames
	var hosts strings.Builder
	for i := range names {
		address := fmt.Sprintf("10.0.%d.%d", i>>8, i&255)
		if i == names-1 {
			address = fmt.Sprintf("10.%d.0.1", version)
		}
		host := fmt.Sprintf("h%05d-", i)
		pad := line - len(host) - len("."+zoneName+". 30 IN A "+address+"\n")
		if i < 512 {
			pad-- // room for the Corefile, the apex and the serial's digits
		}
		fmt.Fprintf(&hosts, "%s %s%s.%s\n", address, host, strings.Repeat("x", pad), zoneName)
	}
	return oracle.Data{Zone: zoneName, LoadBalancerIP: "10.99.0.53", Hosts: hosts.String()}
}
