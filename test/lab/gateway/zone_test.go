//go:build lab && linux

package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/miekg/dns"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// view is a way to ask the gateway's DNS.
type view struct{ name, space, server string }

// zone asks everything in the zone, and what is not in it, wherever somebody asks
// a gateway.
//
// REQ: DN-12
func (g *gateway) zone() {
	pod := g.AwaitReady(namespace, g.podName())
	views := []view{
		{"the Pod address from the node", lab.OnNode, pod.Status.PodIP},
		{"the cluster address from the node", lab.OnNode, "10.96.0.53"},
		{"the load balancer address from the LAN", lab.OnLAN, "10.99.0.53"},
		{"the tailnet address from the laptop", lab.OnLaptop, g.online().Addresses[0]},
	}
	records := g.records()
	for _, v := range views {
		for _, network := range []string{"udp", "tcp"} {
			g.answers(v, network, records)
		}
	}
}

// records are those of the live zone.
func (g *gateway) records() (records []dns.RR) {
	g.Helper()
	live, err := g.Client(apiserver.Admin).CoreV1().ConfigMaps(namespace).Get(g.Context(), api.CoreDNSName(g.name), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	parser := dns.NewZoneParser(strings.NewReader(live.Data[api.DataZone]), "", "")
	for rr, ok := parser.Next(); ok; rr, ok = parser.Next() {
		records = append(records, rr)
	}
	if err := parser.Err(); err != nil || len(records) != 5 {
		g.Fatalf("%d records, want 5: %v", len(records), err)
	}
	return records
}

func (g *gateway) answers(v view, network string, records []dns.RR) {
	g.Helper()
	ask := func(name string, kind uint16, check func(*dns.Msg) error) {
		g.Helper()
		what := fmt.Sprintf("%s %s, over %s, is answered on %s", name, dns.TypeToString[kind], network, v.name)
		g.Await(what, func(ctx context.Context) error {
			answer, err := g.Ask(ctx, v.space, network, v.server, name, kind)
			if err == nil {
				err = check(answer)
			}
			return err
		})
	}
	for _, rr := range records {
		ask(rr.Header().Name, rr.Header().Rrtype, func(m *dns.Msg) error {
			if m.Rcode != dns.RcodeSuccess || !m.Authoritative || len(m.Answer) != 1 || !dns.IsDuplicate(m.Answer[0], rr) {
				return fmt.Errorf("want %v, got %v", rr, m)
			}
			return nil
		})
	}
	for _, c := range []struct {
		name  string
		kind  uint16
		rcode int
	}{
		{"nas.lab.example.", dns.TypeAAAA, dns.RcodeSuccess}, // no data
		{"nobody.lab.example.", dns.TypeA, dns.RcodeNameError},
		{"lab.test.", dns.TypeA, dns.RcodeRefused},
	} {
		ask(c.name, c.kind, func(m *dns.Msg) error {
			if m.Rcode != c.rcode || len(m.Answer) != 0 {
				return fmt.Errorf("want %s without an answer, got %v", dns.RcodeToString[c.rcode], m)
			}
			return nil
		})
	}
}
