package plan

import (
	"net/netip"
	"strconv"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/renderer/zone"
)

// Plan is what a gateway will be, decided and not yet written down.
type Plan struct {
	Routes []Route
	Zone   zone.Data
}

// New plans one gateway. Of its findings only warnings leave the Plan usable.
func New(in model.Inputs) (Plan, []rules.Finding) {
	p := Plan{Routes: Routes(in)}
	findings := covered(p.Routes)
	data, problems := zone.New(in.Gateway.DNS, in.Gateway.LoadBalancer, in.Hosts.Text)
	p.Zone = data
	for _, problem := range problems {
		findings = append(findings, hostsFinding(in, problem))
	}
	return p, findings
}

func hostsFinding(in model.Inputs, p zone.Problem) rules.Finding {
	if p.Rule == rules.ConfigSize {
		return rules.Finding{Rule: p.Rule, Path: "spec.dns",
			Object: rules.Object{Kind: api.KindTailnetGateway, Name: in.Gateway.Name}}
	}
	src := in.Hosts.Object
	path := "data." + src.Key
	if p.Line > 0 {
		path += ":" + strconv.Itoa(p.Line)
	}
	return rules.Finding{Rule: p.Rule, Path: path,
		Object: rules.Object{Kind: "ConfigMap", Namespace: src.Namespace, Name: src.Name}}
}

// covered warns of egress targets that another route already covers. Routes are
// sorted, so whatever contains a host route comes before it.
func covered(routes []Route) []rules.Finding {
	var found []rules.Finding
	var cover netip.Prefix
	for _, r := range routes {
		if !cover.IsValid() || !cover.Overlaps(r.Prefix) {
			cover = r.Prefix
			continue
		}
		if r.Egress != nil {
			found = append(found, rules.Finding{Rule: rules.EgressCovered, Path: "spec.targets",
				Object: rules.Object{Kind: api.KindTailnetEgress, Namespace: r.Egress.Namespace, Name: r.Egress.Name}})
		}
	}
	return found
}
