package view

import (
	"fmt"
	"slices"
	"strings"

	"tsunaro.io/gateway/internal/terminal"
	"tsunaro.io/gateway/renderer/api"
)

func (g Gateway) routesText() string {
	count := func(is func(Route) bool) (n int) {
		for _, r := range g.Routes {
			if is(r) {
				n++
			}
		}
		return n
	}
	if len(g.Routes) == 0 {
		return "not known"
	}
	wanted := "not known which are wanted"
	if !slices.ContainsFunc(g.Routes, func(r Route) bool { return r.Wanted == Maybe }) {
		wanted = fmt.Sprintf("%d wanted", count(func(r Route) bool { return r.Wanted == Yes }))
	}
	text := fmt.Sprintf("%s, %d advertised, %d approved", wanted, count(func(r Route) bool { return r.Advertised == Yes }),
		count(func(r Route) bool { return r.Approved == Yes && !r.Stale }))
	if n := count(func(r Route) bool { return r.Stale }); n > 0 {
		text += fmt.Sprintf(", %d no longer wanted", n)
	}
	return text
}

func (g Gateway) routeBranches(l Look) []line {
	var rows []string
	for _, r := range g.Routes {
		mark, says := l.ok(), "advertised, approved"
		switch {
		case r.Stale || r.Wanted == No && r.Approved == Yes:
			mark, says = l.look(), "approved, and no longer wanted"
		case r.Wanted == No:
			mark, says = l.look(), "advertised, and no longer wanted"
		case r.Advertised == Maybe:
			mark, says = l.query(), "not known whether advertised"
		case r.Advertised == No && g.Identity.Completed == No:
			mark, says = l.blank(), "not advertised yet"
		case r.Advertised == No:
			mark, says = l.look(), "not advertised yet"
		case r.Approved != Yes:
			mark, says = l.wrong(), "advertised, not approved"
		}
		rows = append(rows, mark+" "+r.Prefix+"\t"+says+"\t"+r.From)
	}
	return branches(rows)
}

func (d DNS) text() string {
	text := d.Zone
	if d.Serial != 0 {
		text += fmt.Sprintf(", serial %d", d.Serial)
	}
	if d.Names >= 0 {
		text += fmt.Sprintf(", %d names", d.Names)
	}
	return text
}

func (d DNS) branches(l Look, completed Known) []line {
	row, _ := api.FindCondition(api.KindTailnetGateway, api.ConditionDNSReady, d.Reason)
	mark := l.look()
	switch {
	case d.Reason == api.ReasonDNSInSync:
		mark = l.ok()
	case completed == No: // until then the zone is the engine's
		mark = l.blank()
	case row.Health == api.Degraded:
		mark = l.wrong()
	case d.Reason == api.ReasonEvidenceUnavailable:
		mark = l.query()
	case row.Status == api.Unknown && !d.Pending:
		mark = l.blank()
	}
	assigned := l.look() + " for the LAN\t" + d.Addresses.LoadBalancer + "\tnot assigned"
	if d.Addresses.Assigned != "" {
		assigned = l.ok() + " for the LAN\t" + d.Addresses.Assigned + "\tLoadBalancer"
	}
	rows := []string{assigned, l.blank() + " for the cluster\t" + d.Addresses.Cluster + "\tClusterIP"}
	if d.Addresses.Node != "" {
		rows = append(rows, l.blank()+" for the tailnet\t"+d.Addresses.Node+"\tthe node's own")
	}
	text := strings.Split(terminal.Wrap(mark+" "+d.Message, l.Width-6, "  "), "\n")
	return append([]line{{text: text}}, branches(rows)...)
}
