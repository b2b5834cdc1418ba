package plan

import (
	"net/netip"
	"slices"

	"tsunaro.io/gateway/renderer/model"
)

// Route is one advertised prefix and why it is advertised.
type Route struct {
	Prefix netip.Prefix
	From   string // the field, or the TailnetEgress, that asks for it
	Egress *model.Egress
}

// Routes returns the route set of a gateway: LAN ∪ LB CIDR ∪ a /32 for each
// literal target of the Tailnet's egresses. A prefix inside another stays, an
// exact repetition goes; the order is that of the addresses (RN-07).
func Routes(in model.Inputs) []Route {
	g := in.Gateway
	var routes []Route
	for _, p := range g.LAN {
		routes = append(routes, Route{Prefix: p, From: "spec.routes.lan"})
	}
	routes = append(routes, Route{Prefix: g.LBCIDR, From: "spec.tailnetLBCIDR"})
	if g.AdvertiseEgress {
		for i, e := range in.Egresses {
			if e.Tailnet != in.Tailnet.Name || e.Namespace != in.Tailnet.OperatorNamespace {
				continue
			}
			for _, t := range e.Targets {
				routes = append(routes, Route{netip.PrefixFrom(t, t.BitLen()), "TailnetEgress/" + e.Namespace + "/" + e.Name, &in.Egresses[i]})
			}
		}
	}
	slices.SortStableFunc(routes, func(a, b Route) int { return a.Prefix.Compare(b.Prefix) })
	return slices.CompactFunc(routes, func(a, b Route) bool { return a.Prefix == b.Prefix })
}
