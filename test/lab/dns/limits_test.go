//go:build lab && linux

package dns

import (
	"strings"
	"testing"

	"github.com/miekg/dns"

	oracle "tsunaro.io/gateway/test/dns"
	"tsunaro.io/gateway/test/lab/dns/internal/rendered"
	"tsunaro.io/gateway/test/testbed/coredns"
)

// long returns a name of the zone with n characters.
func long(zone string, n int) string {
	labels := []string{zone}
	for n -= len(zone); n > 0; n -= 64 {
		labels = append([]string{strings.Repeat("b", min(n-1, 63))}, labels...)
	}
	return strings.Join(labels, ".")
}

// TestNameLimits is case B38: what fits on the wire is answered by the real
// CoreDNS, one character more is refused. (The library of the tests would send
// it.)
//
// REQ: DN-01, DN-12
func TestNameLimits(t *testing.T) {
	const zone = "tail.example"
	limit := long(zone, 253)
	for _, c := range []struct {
		why, zone, host string
		served          bool
	}{
		{"253 characters", zone, limit, true},
		{"254 characters", zone, long(zone, 254), false},
		{"255 characters", zone, long(zone, 255), false},
		{"label of 63", zone, strings.Repeat("c", 63) + "." + zone, true},
		{"label of 64", zone, strings.Repeat("c", 64) + "." + zone, false},
		{"zone of 253 characters", limit, "", true},
		{"a host beneath it", limit, "a." + limit, false},
		{"zone of 251 characters and a host of one", long(zone, 251), "a." + long(zone, 251), true},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := oracle.Data{Zone: c.zone, LoadBalancerIP: "10.99.0.53"}
			name, want := c.zone+".", "10.99.0.53"
			if c.host != "" {
				d.Hosts = "198.51.100.8 " + c.host + "\n"
				name, want = c.host+".", "198.51.100.8"
			}
			if !c.served {
				if _, err := rendered.Render(t, d); err == nil {
					t.Errorf("%d characters: not refused", len(name)-1)
				}
				return
			}
			coredns.Start(t, rendered.New(t, d).Rendered)
			for _, network := range coredns.Networks {
				if got := coredns.Dial(t, network).Address(t, name, dns.TypeA); got != want {
					t.Errorf("%d characters over %s: %s, want %s", len(name)-1, network, got, want)
				}
			}
		})
	}
}
