package renderer

import (
	"slices"

	"tsunaro.io/gateway/renderer/admit"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/plan"
	"tsunaro.io/gateway/renderer/rules"
)

// Gateway is what one TailnetGateway of the input came to. A suspended one has
// a plan, and no objects.
type Gateway struct {
	model.Inputs
	plan.Plan
	Objects []objects.Object
}

// Output is a rendered input.
type Output struct {
	Gateways []Gateway       // sorted by name
	Roles    []admit.Role    // by document, in the order given
	Warnings []rules.Finding // sorted
}

// Objects returns the resources of all gateways.
func (o Output) Objects() []objects.Object {
	all := make([]objects.Object, 0, len(o.Gateways)*objects.Count)
	for _, g := range o.Gateways {
		all = append(all, g.Objects...)
	}
	return all
}

// Render admits, plans and renders. The error is a rules.Refusal with everything
// that is wrong, and then there is no output at all (RN-08).
func Render(docs []document.Document) (Output, error) {
	in, findings := admit.Documents(docs)
	if len(in.Gateways) == 0 {
		findings = append(findings, rules.Finding{Rule: rules.NoGateway})
	}
	inputs := sound(in.Gateways, findings)
	findings = append(findings, plan.Conflicts(inputs, taken(docs, in.Roles))...)
	out := Output{Gateways: make([]Gateway, len(inputs)), Roles: in.Roles}
	for i, in := range inputs {
		p, f := plan.New(in)
		findings = append(findings, f...)
		out.Gateways[i] = Gateway{Inputs: in, Plan: p}
	}
	if refused(findings) {
		return Output{}, refusal(findings)
	}
	for i := range out.Gateways {
		if g := &out.Gateways[i]; !g.Gateway.Suspended {
			set := objects.Render(g.Inputs, g.Plan)
			g.Objects = set[:]
			findings = append(findings, clientApply(*g)...)
		}
	}
	out.Warnings = rules.Sort(findings)
	return out, nil
}

// sound leaves out the gateways that were not admitted, or whose Tailnet was not:
// the others are planned all the same, so that one run tells everything.
func sound(inputs []model.Inputs, findings []rules.Finding) []model.Inputs {
	broken := map[rules.Object]bool{}
	for _, f := range findings {
		if !rules.Lookup(f.Rule).Warn {
			broken[rules.Object{Kind: f.Object.Kind, Name: f.Object.Name}] = true
		}
	}
	if len(broken) == 0 {
		return inputs
	}
	return slices.DeleteFunc(inputs, func(in model.Inputs) bool {
		return in.Tailnet.Name == "" || broken[rules.Object{Kind: api.KindTailnetGateway, Name: in.Gateway.Name}] ||
			broken[rules.Object{Kind: api.KindTailnet, Name: in.Tailnet.Name}]
	})
}

// taken tells which object names belong to documents that stay in the build.
func taken(docs []document.Document, roles []admit.Role) func(rules.Object) bool {
	names := make(map[rules.Object]bool, len(docs))
	for i, d := range docs {
		if roles[i] == admit.Other || roles[i] == admit.Source {
			names[d.Object()] = true
		}
	}
	return func(o rules.Object) bool { return names[o] }
}

// clientApplyLimit is what an annotation may hold, and so what client-side apply
// can store (B17).
const clientApplyLimit = 256 << 10

func clientApply(g Gateway) []rules.Finding {
	for _, o := range g.Objects {
		if o.Kind == "ConfigMap" && len(o.JSON) > clientApplyLimit {
			return []rules.Finding{{Rule: rules.ConfigClientApply, Object: o.Object}}
		}
	}
	return nil
}

func refused(findings []rules.Finding) bool {
	for _, f := range findings {
		if !rules.Lookup(f.Rule).Warn {
			return true
		}
	}
	return false
}

func refusal(findings []rules.Finding) error {
	var r rules.Refusal
	for _, f := range rules.Sort(findings) {
		if !rules.Lookup(f.Rule).Warn {
			r = append(r, f)
		}
	}
	return r
}

// Suspended returns the suspended gateways' names (RN-13).
func (o Output) Suspended() []rules.Object {
	var names []rules.Object
	for _, g := range o.Gateways {
		if g.Gateway.Suspended {
			names = append(names, rules.Object{Kind: api.KindTailnetGateway, Name: g.Gateway.Name})
		}
	}
	return names
}
