package verdict

import (
	"cmp"
	"slices"
	"strings"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/plan"
	"tsunaro.io/gateway/renderer/rules"
)

// sources tells what is wrong with what a bootstrap starts from; ok is true if
// nothing is. A completed gateway does not depend on them (DL-05, UP-03).
func (p *pass) sources() (v Verdict, ok bool) {
	if v, ok := p.hosts(); !ok {
		return v, false
	}
	render, known := p.Render.Get()
	switch {
	case !known:
		return p.unavailable("TailnetEgress/" + p.namespace), false
	case len(render.Refused) > 0:
		return p.refused(render.Refused[0]), false
	case p.APIKey.Absent():
		return p.ready(api.ReasonAPIKeyMissing, values{"object": p.custom(api.KindTailnet, p.tailnet()).String()}), false
	case p.APIKey.Unknown():
		return p.unavailable(p.headscale()), false
	}
	return Verdict{}, true
}

// hostsSource is the ConfigMap that a Tailnet names as its hosts source, and the
// key in it (DL-08).
func (p *pass) hostsSource() (rules.Object, string) {
	ref := p.t.Spec.DNS.HostsConfigMapRef
	return p.object("ConfigMap", cmp.Or(string(ref.Name), api.DefaultHostsName)), cmp.Or(string(ref.Key), api.DefaultHostsKey)
}

func (p *pass) hosts() (v Verdict, ok bool) {
	object, key := p.hostsSource()
	switch {
	case p.Hosts.Unknown():
		return p.unavailable(object.String()), false
	case p.Hosts.Absent():
		return p.ready(api.ReasonHostsMissing, values{"object": object.String(), "key": key}), false
	}
	return Verdict{}, true
}

// refused says which rule is broken, by the condition that it belongs to.
func (p *pass) refused(f rules.Finding) Verdict {
	v := values{"object": f.Object.String(), "rule": string(f.Rule), "path": cmp.Or(f.Path, "spec"), "must": f.Text()}
	switch {
	case f.Rule == rules.HostsKey:
		_, key := p.hostsSource()
		return p.ready(api.ReasonHostsMissing, values{"object": f.Object.String(), "key": key})
	case observe.HostsRule(f.Rule):
		return p.ready(api.ReasonHostsRefused, v)
	}
	return p.ready(api.ReasonSpecRefused, v)
}

// peers compares what this gateway claims with what the others do (LC-19). A
// conflict stops the one that is not set up yet. It comes last, so that what is
// found is said about its own fields.
func (p *pass) peers(peers []model.Inputs) (v Verdict, ok bool) {
	render, _ := p.Render.Get()
	all := slices.SortedFunc(slices.Values(peers), func(a, b model.Inputs) int { return strings.Compare(a.Gateway.Name, b.Gateway.Name) })
	all = append(all, render.Gateway.Inputs)
	self := p.custom(api.KindTailnetGateway, p.g.Name)
	for _, f := range plan.Conflicts(all, func(rules.Object) bool { return false }) {
		if !rules.Lookup(f.Rule).Warn && f.Object == self {
			return p.refused(f), false
		}
	}
	return Verdict{}, true
}
