// Package rendered has the product render what the oracle is asked about.
package rendered

import (
	"testing"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/zone"
	"tsunaro.io/gateway/test/corpus"
	"tsunaro.io/gateway/test/dns"
	"tsunaro.io/gateway/test/testbed/coredns"
)

// Gateway is a rendered gateway: its DNS server, and the zone data from which
// the minter would render the ConfigMap again.
type Gateway struct {
	coredns.Rendered
	Zone zone.Data
}

// Revision reads the rendered ConfigMap's, as the minter does.
func (g Gateway) Revision(t testing.TB) zone.Revision {
	t.Helper()
	r, err := zone.ReadRevision(g.Annotations, g.Data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// New renders the data and expects no refusal.
func New(t testing.TB, d dns.Data) Gateway {
	t.Helper()
	out, err := Render(t, d)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Gateways) != 1 {
		t.Fatalf("%d gateways, want one", len(out.Gateways))
	}
	r, err := coredns.Read(out.Gateways[0].Objects)
	if err != nil {
		t.Fatal(err)
	}
	return Gateway{Rendered: r, Zone: out.Gateways[0].Zone}
}

// Render renders YAML documents, as a user would write them, with the DNS data
// put in.
func Render(t testing.TB, d dns.Data) (renderer.Output, error) {
	t.Helper()
	text, err := corpus.Case{Why: d.Zone, Set: map[string]any{
		"gateway:spec.loadBalancerIP": d.LoadBalancerIP,
		"gateway:spec.dns.zone":       d.Zone,
		"gateway:spec.dns.records":    d.Records,
		"gateway:spec.dns.extraZones": d.ExtraZones,
		"hosts:data.hosts":            d.Hosts,
	}}.Docs()
	if err != nil {
		t.Fatal(err)
	}
	docs, findings := document.Parse("input.yaml", text)
	if len(findings) != 0 {
		t.Fatal(findings)
	}
	return renderer.Render(docs)
}

// Case returns one zone of the corpus.
func Case(t testing.TB, name string) dns.Case {
	t.Helper()
	cases, err := dns.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no zone %q", name)
	return dns.Case{}
}
