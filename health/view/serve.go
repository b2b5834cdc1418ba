package view

import (
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/zone"
)

// serve says what the gateway answers from, and whether that is the zone of the
// present sources.
func serve(g *Gateway, r Reading, rendered observe.Render) {
	now := r.Served()
	g.DNS.Reason, g.DNS.Pending = now.Reason, now.Swap != nil
	if row, ok := api.FindCondition(api.KindTailnetGateway, api.ConditionDNSReady, now.Reason); ok {
		g.DNS.Message = row.Message(now.Values)
	}
	if now.Swap != nil {
		g.DNS.Message = "The live zone is not yet that of its sources: the minter has a next serial to write."
	}
	g.DNS.Serial = 0
	if live, ok := r.Zone().Get(); ok && live != nil {
		if revision, err := zone.ReadRevision(live.Annotations, live.Data); err == nil {
			g.DNS.Serial = revision.Serial
		}
	}
	g.DNS.Names = -1
	if rendered.Gateway != nil && !r.Hosts.Unknown() {
		g.DNS.Names = names(rendered.Gateway.Zone)
	}
}

// names counts those that have addresses; the others are there for wildcards only.
func names(d zone.Data) int {
	n := 0
	for _, list := range [][]zone.Set{d.Primary, d.Extra} {
		for _, s := range list {
			if len(s.Addresses) > 0 {
				n++
			}
		}
	}
	return n
}
