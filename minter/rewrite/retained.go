package rewrite

import (
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
)

// content is where a receipt is in its ConfigMap.
const content = "data[" + api.DataReceipt + "]"

// retained sees to it that everything that a receipt records is there, and as it
// was recorded, under the receipt's own rule.
func (p *pass) retained(c receipt.Completion) (v verdict.Verdict, ok bool) {
	if c.Tailnet.Name != p.t.Name || c.Tailnet.UID != string(p.t.UID) {
		return p.lost(p.custom(api.KindTailnet, p.t.Name), isMissing, "metadata.uid"), false
	}
	if v, ok := p.entry(c); !ok {
		return v, false
	}
	if v, ok := p.evidence(c); !ok {
		return v, false
	}
	return p.nine(c)
}

// entry sees to it that the registry does not speak of another state.
func (p *pass) entry(c receipt.Completion) (v verdict.Verdict, ok bool) {
	r, _ := p.Registry.Get()
	e, listed, err := registry.Read(r.Data, p.g.Name)
	switch {
	case p.Registry.Unknown():
		return p.unavailable(p.object("ConfigMap", api.BindingsName)), false
	case err == nil && listed && (e.GatewayUID != p.uid() || e.StateUID != c.State.UID):
		return p.blocked(p.object("ConfigMap", api.BindingsName), namesOther, "data."+api.BindingKey(p.g.Name, api.BindingStateUID)), false
	}
	return verdict.Verdict{}, true
}

// evidence sees to it that state, key and auth receipt are those of the receipt.
func (p *pass) evidence(c receipt.Completion) (v verdict.Verdict, ok bool) {
	state, there := p.State.Get()
	record, recorded := p.AuthReceipt.Get()
	secret, keyed := p.Auth.Get()
	stored := receipt.Secret{Name: p.auth().Name, UID: secret.UID, Revision: secret.Revision}
	ref := receipt.Reference{Name: p.authReceipt().Name, UID: record.UID}
	switch {
	case p.State.Unknown():
		return p.unavailable(p.state()), false
	case p.AuthReceipt.Unknown():
		return p.unavailable(p.authReceipt()), false
	case p.Auth.Unknown():
		return p.unavailable(p.auth()), false
	case !there || state.UID != c.State.UID || state.Deleting:
		return p.lost(p.state(), isMissing, "metadata.uid"), false
	case !recorded || record.Err != nil || !c.RestsOn(ref, record.Receipt) || !record.Immutable || record.Deleting:
		return p.lost(p.authReceipt(), isMissing, content), false
	case !keyed || !record.Receipt.Keeps(stored) || secret.Deleting:
		return p.lost(p.auth(), isEdited, "metadata.resourceVersion"), false
	}
	return verdict.Verdict{}, true
}

// nine sees to it that each of the nine is the recorded object with the recorded
// digest.
func (p *pass) nine(c receipt.Completion) (v verdict.Verdict, ok bool) {
	for i, name := range p.names {
		m, there := p.Nine[i].Get()
		digest := m.Digest
		if c.Rule == receipt.RuleV010 {
			digest = p.Former[i]
		}
		recorded, listed := c.Object(name.Kind, name.Name)
		switch {
		case p.Nine[i].Unknown():
			return p.unavailable(name), false
		case !there || !listed || m.UID != recorded.UID:
			return p.lost(name, isMissing, "metadata.uid"), false
		case m.Deleting:
			return p.lost(name, isDeleting, "metadata.deletionTimestamp"), false
		case digest != recorded.Digest || m.Digest == "":
			return p.blocked(name, hasDrifted, m.Result.Path), false
		}
	}
	return verdict.Verdict{}, true
}
