package report

import (
	"cmp"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
)

// dns says what package livedns has found. Where that was not asked it says what
// is wrong with the zone's source, and that the zone is left alone until the gateway
// is complete (DL-09), and claims nothing about what is served.
func (s *subject) dns() *statement {
	if z := s.v.Evidence.Zone; z != nil {
		return say(z.Reason, z.Values)
	}
	switch {
	case s.Fresh.Unknown():
		return unavailable(s.object("ConfigMap", api.FreshName(s.g.Name)))
	case s.Fresh.Known() && !s.v.Evidence.Completed:
		return say(api.ReasonDNSUpdateBlocked, values{"object": s.name(coreDNS), "problem": unproven})
	case !s.v.Evidence.Completed:
		return say(api.ReasonDNSUpdateBlocked, values{"object": s.name(coreDNS), "problem": incomplete})
	}
	if t, ok := s.Tailnet.Get(); ok && s.Hosts.Absent() {
		ref := t.Spec.DNS.HostsConfigMapRef
		return s.hostsMissing(s.object("ConfigMap", cmp.Or(string(ref.Name), api.DefaultHostsName)), string(ref.Key))
	}
	r, _ := s.Render.Get()
	for _, f := range r.Refused {
		switch {
		case f.Rule == rules.HostsKey:
			t, _ := s.Tailnet.Get()
			return s.hostsMissing(f.Object.String(), string(t.Spec.DNS.HostsConfigMapRef.Key))
		case observe.HostsRule(f.Rule):
			return say(api.ReasonHostsRefused, values{"object": f.Object.String(), "rule": string(f.Rule), "path": f.Path, "must": f.Text()})
		}
	}
	return say(api.ReasonDNSNotCompared, nil)
}

// Why a zone is not written, for people.
const (
	incomplete = "the gateway is not complete yet"
	unproven   = "the gateway's receipt is not one to go by"
)

func (s *subject) hostsMissing(object, key string) *statement {
	return say(api.ReasonHostsMissing, values{"object": object, "key": cmp.Or(key, api.DefaultHostsKey)})
}
