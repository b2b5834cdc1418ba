package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strings"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/zone"
)

// Names of the cases of a zone at its bounds.
const (
	Zone          = "zone"
	ZonePeer      = "zone-peer"
	ZoneUnchanged = "zone-unchanged"
)

// Zones prepares the cases of a hosts source at the bounds (DN-06): its way to the
// data of the ConfigMap, the same zone read by the field's own parser, and the
// cost of a source that says the same as before.
func Zones() ([]Case, error) {
	spec, lb := model.DNS{Zone: "lab.example"}, netip.MustParseAddr("10.99.0.53")
	hosts := boundHosts()
	data, problems := zone.New(spec, lb, hosts)
	if len(problems) > 0 {
		return nil, fmt.Errorf("hosts at the bound are refused: %v", problems)
	}
	text, stored := data.ConfigMap(1)["zone.db"], data.First()
	return []Case{
		{Zone, 1, func() error {
			d, problems := zone.New(spec, lb, hosts)
			if len(problems) > 0 || len(d.ConfigMap(1)) != 2 {
				return errors.New("no zone")
			}
			return nil
		}},
		{ZonePeer, 1, func() error {
			p, n := dns.NewZoneParser(strings.NewReader(text), "", "zone.db"), 0
			for _, ok := p.Next(); ok; _, ok = p.Next() {
				n++
			}
			if n != zone.MaxHostsNames+3 {
				return fmt.Errorf("%d records: %w", n, p.Err())
			}
			return nil
		}},
		{ZoneUnchanged, 1, func() error {
			d, _ := zone.New(spec, lb, hosts)
			if r, err := d.Next(stored); r != stored || err != nil {
				return fmt.Errorf("another revision: %v", err)
			}
			return nil
		}},
	}, nil
}

// boundHosts is in no order: 16,384 names that come to just under 1 MiB of
// configuration.
func boundHosts() string {
	var b strings.Builder
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(zone.MaxHostsNames) {
		fmt.Fprintf(&b, "10.%d.%d.%d %s%05d.lab.example\n", i>>16, i>>8&255, i&255, strings.Repeat("h", 25), i)
	}
	return b.String()
}

// Allocated is how many bytes one run of a case takes from the heap, which is an
// upper bound of its peak.
func Allocated(c Case) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := c.Run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}
