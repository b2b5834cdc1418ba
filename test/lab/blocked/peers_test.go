//go:build lab && linux

package blocked

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
)

// What another gateway of the cluster claims, running or not, is not claimed again.
//
// REQ: LC-19, RN-08
func peers(t *testing.T) {
	try(t, []fault{
		{
			name: "peer-hostname", cause: peer("hostname"), mend: moves("peer-hostname-2", "hostname"),
			reason: api.ReasonSpecRefused, object: "TailnetGateway/GW is refused: spec.hostname ", path: "(TailnetGateway/GW-peer) [hostname-conflict]",
		},
		{
			name: "peer-lb", cause: peer("loadBalancerIP"), mend: moves("10.99.0.2", "loadBalancerIP"),
			reason: api.ReasonSpecRefused, object: "TailnetGateway/GW is refused: spec.loadBalancerIP ", path: "(TailnetGateway/GW-peer) [address-conflict]",
		},
		{
			name: "peer-cluster", cause: peer("dns", "clusterIP"), mend: moves("10.96.0.2", "dns", "clusterIP"),
			reason: api.ReasonSpecRefused, object: "TailnetGateway/GW is refused: spec.dns.clusterIP ", path: "(TailnetGateway/GW-peer) [address-conflict]",
		},
		{
			name: "peer-service", cause: peer("dns", "serviceName"), mend: moves("peer-service-2", "dns", "serviceName"),
			reason: api.ReasonSpecRefused, object: "TailnetGateway/GW is refused: spec.dns.serviceName ", path: "(TailnetGateway/GW-peer) [name-conflict]",
		},
		{
			name: "peer-zone", cause: peer("dns", "zone"), mend: moves("peer-zone-2.example", "dns", "zone"),
			reason: api.ReasonSpecRefused, object: "TailnetGateway/GW is refused: spec.dns.zone ", path: "(TailnetGateway/GW-peer) [zone-conflict]",
		},
		{ // the peer's DNS Service would be this gateway's LoadBalancer Service
			name: "peer-name", cause: peerClaims("peer-name-lb", "dns", "serviceName"),
			mend: func(g *gateway) {
				g.Helper()
				if err := g.kubectl("delete", "tailnetgateway", "GW-peer"); err != nil {
					g.Fatal(err)
				}
			},
			reason: api.ReasonSpecRefused, object: "TailnetGateway/GW is refused: metadata.name ", path: "(TailnetGateway/GW-peer) [name-conflict]",
		},
	})
}

// peer applies another gateway, suspended, that claims the same value of a field.
func peer(path ...string) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		value, ok, err := unstructured.NestedString(g.manifest["spec"].(object), path...)
		if err != nil {
			return err
		}
		if !ok { // a hostname that is left out is the name
			value = g.name
		}
		return peerClaims(value, path...)(g)
	}
}

// peerClaims applies another gateway, suspended, with a value of its own.
func peerClaims(value any, path ...string) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		other := newGateway(g, g.World, g.name+"-peer", "home", g.namespace)
		set(other.manifest, true, "spec", "suspend")
		set(other.manifest, value, append([]string{"spec"}, path...)...)
		other.commit()
		return nil
	}
}

// moves commits another value of the gateway's own.
func moves(value any, path ...string) func(*gateway) {
	return func(g *gateway) { g.Helper(); g.change(value, path...) }
}
