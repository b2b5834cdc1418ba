package plan

import (
	"net/netip"
	"slices"
	"strconv"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// Conflicts compares the gateways of one input, sorted by name, with each other
// and with the other objects of the input; taken tells what those are (RN-08).
// Suspended gateways count: theirs may be running.
func Conflicts(inputs []model.Inputs, taken func(rules.Object) bool) []rules.Finding {
	const claims = 18 // of a gateway: four values and its Names
	c := conflicts{owners: make(map[claim]rules.Object, claims*len(inputs))}
	for _, in := range inputs {
		g := in.Gateway
		c.object = rules.Object{Kind: api.KindTailnetGateway, Name: g.Name}
		c.claim(rules.HostnameConflict, "spec.hostname", g.Tailnet+"/"+g.Hostname)
		c.claim(rules.AddressConflict, "spec.loadBalancerIP", g.LoadBalancer.String())
		c.claim(rules.AddressConflict, "spec.dns.clusterIP", g.DNS.ClusterIP.String())
		c.claim(rules.ZoneConflict, "spec.dns.zone", string(g.DNS.Zone))
		for _, n := range Names(in) {
			if taken(n.Object) {
				c.found = append(c.found, rules.Finding{Rule: rules.NameConflict, Object: c.object, Path: n.Path, Other: n.Object})
				continue
			}
			c.claim(rules.NameConflict, n.Path, n.Object.String())
		}
	}
	return append(c.found, overlapping(inputs)...)
}

type claim struct {
	rule  rules.ID
	value string
}

type conflicts struct {
	object rules.Object
	owners map[claim]rules.Object
	found  []rules.Finding
}

// claim records that the current gateway needs a value for itself. An empty
// value is one that was refused before.
func (c *conflicts) claim(rule rules.ID, path, value string) {
	k := claim{rule, value}
	if owner, ok := c.owners[k]; ok && value != "" {
		c.found = append(c.found, rules.Finding{Rule: rule, Object: c.object, Path: path, Other: owner})
		return
	}
	c.owners[k] = c.object
}

// Name is an object that a gateway needs and the field that names it.
type Name struct {
	Object rules.Object
	Path   string
}

// Names lists the nine objects of a gateway, and the Secrets and receipts that
// the minter will write beside them, all in the operator namespace.
func Names(in model.Inputs) []Name {
	g, ns := in.Gateway.Name, in.Tailnet.OperatorNamespace
	derived := func(kind, name string) Name {
		return Name{rules.Object{Kind: kind, Namespace: ns, Name: name}, "metadata.name"}
	}
	return []Name{
		derived("ServiceAccount", g), derived("Role", g), derived("RoleBinding", g),
		derived("ConfigMap", api.CoreDNSName(g)),
		derived("Service", g),
		{rules.Object{Kind: "Service", Namespace: ns, Name: in.Gateway.DNS.ServiceName}, "spec.dns.serviceName"},
		derived("Service", api.LBServiceName(g)),
		derived("PodDisruptionBudget", g), derived("StatefulSet", g),
		derived("Secret", api.StateSecretName(g)), derived("Secret", api.AuthSecretName(g)),
		derived("ConfigMap", g+"-auth-receipt"), derived("ConfigMap", g+"-fresh"), derived("ConfigMap", g+"-fresh-next"),
	}
}

// overlapping warns of prefixes of different gateways of one Tailnet that
// overlap. Egress targets are left out: all gateways of a Tailnet share them.
func overlapping(inputs []model.Inputs) []rules.Finding {
	type owned struct {
		netip.Prefix
		gateway, path string
	}
	byTailnet := map[string][]owned{}
	for _, in := range inputs {
		g := in.Gateway
		for i, p := range g.LAN {
			byTailnet[g.Tailnet] = append(byTailnet[g.Tailnet], owned{p, g.Name, "spec.routes.lan[" + strconv.Itoa(i) + "]"})
		}
		if g.LBCIDR.IsValid() {
			byTailnet[g.Tailnet] = append(byTailnet[g.Tailnet], owned{g.LBCIDR, g.Name, "spec.tailnetLBCIDR"})
		}
	}
	var found []rules.Finding
	for _, routes := range byTailnet {
		slices.SortStableFunc(routes, func(a, b owned) int { return a.Prefix.Compare(b.Prefix) })
		var around []owned // the prefixes that contain the current one, widest first
		for _, r := range routes {
			for len(around) > 0 && !around[len(around)-1].Overlaps(r.Prefix) {
				around = around[:len(around)-1]
			}
			for _, a := range slices.Backward(around) {
				if a.gateway != r.gateway {
					first, second := a, r
					if second.gateway < first.gateway {
						first, second = second, first
					}
					found = append(found, rules.Finding{
						Rule: rules.RouteOverlap, Path: second.path,
						Object: rules.Object{Kind: api.KindTailnetGateway, Name: second.gateway},
						Other:  rules.Object{Kind: api.KindTailnetGateway, Name: first.gateway},
					})
					break
				}
			}
			around = append(around, r)
		}
	}
	return found
}
