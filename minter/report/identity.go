package report

import (
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
)

// bound says what the registry allows, if its entry is about the gateway and the
// state Secret as they are now.
func (s *subject) bound() *statement {
	r, _ := s.Registry.Get()
	e, listed, err := registry.Read(r.Data, s.g.Name)
	state, _ := s.State.Get()
	switch {
	case s.Registry.Unknown():
		return unavailable(s.object("ConfigMap", api.BindingsName))
	case listed && err == nil && s.State.Unknown():
		return unavailable(s.object("Secret", api.StateSecretName(s.g.Name)))
	case listed && err == nil && e.GatewayUID == string(s.g.UID) && e.StateUID == state.UID:
		return say(phases[e.Phase], nil)
	case !listed && (s.v.Reason == api.ReasonRestarting || s.v.Reason == api.ReasonDeleting):
		return say(api.ReasonBindingClosed, nil)
	}
	return say(api.ReasonNotBound, nil)
}

var phases = map[registry.Phase]string{
	registry.Open:     api.ReasonBindingOpen,
	registry.Minting:  api.ReasonBindingMinting,
	registry.Complete: api.ReasonBindingComplete,
}

// registered says whether Headscale knows the node that the state proves. Being
// offline does not make it unknown.
func (s *subject) registered() *statement {
	e := s.v.Evidence
	switch {
	case s.Fresh.Unknown():
		return unavailable(s.object("ConfigMap", api.FreshName(s.g.Name)))
	case e.Completed && s.State.Unknown():
		return unavailable(s.object("Secret", api.StateSecretName(s.g.Name)))
	case e.Completed && s.Nodes.Unknown():
		return unavailable(s.headscale())
	case !e.Judged:
		return say(api.ReasonNotRegistered, nil)
	}
	switch e.Problem {
	case proof.None, proof.Offline, proof.Expired:
		return say(api.ReasonNodeRegistered, values{"node": string(e.Node.ID)})
	case proof.Several, proof.OtherName:
		return say(api.ReasonNodeAmbiguous, nil)
	}
	return say(api.ReasonNotRegistered, nil)
}
