package verdict

import (
	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/objects"
)

// minting decides while a key may exist. Only the process that swapped the entry
// may ask for one, once, and only its own answers lead to the auth receipt; from
// there on the receipt proves the attempt to anybody (MT-04).
func (p *pass) minting(state observe.State) Verdict {
	secret, keyed := p.Auth.Get()
	record, recorded := p.AuthReceipt.Get()
	expired := !p.Now.Before(p.entry.MintExpires)
	switch {
	case recorded && keyed:
		return p.finish(state, secret, record, expired)
	case recorded:
		return p.inTheWay(p.authReceipt(), isOther, "") // its Secret is gone
	case keyed:
		return p.record(secret, expired)
	case expired:
		return p.restart(state)
	case !p.attempting():
		return p.untilExpired(p.auth())
	}
	return p.mint(state, p.Attempt.Minting)
}

// attempting reports whether this process swapped the entry as it stands, and
// gateway and Tailnet are still as they were then (LC-09).
func (p *pass) attempting() bool {
	m := p.Attempt.Minting
	if m == nil || m.StateUID != p.entry.StateUID || !m.Expires.Equal(p.entry.MintExpires) {
		return false
	}
	gateway, tailnet := p.scopes()
	return m.Gateway.Same(gateway) && m.Tailnet.Same(tailnet)
}

// mint asks for the key, and stores the answer. Both rest on the whole inventory:
// whatever Pod takes GW-auth by its name must be the verified one.
func (p *pass) mint(state observe.State, m *observe.Minting) Verdict {
	if state.Content != proof.Empty {
		return p.inTheWay(p.state(), isUseless, "data")
	}
	next := Mint
	if m.Minted != nil {
		next = CreateAuth
	} else if m.Asked {
		return p.untilExpired(p.auth())
	}
	if v, ok := p.whole(next); !ok {
		v.Again = p.entry.MintExpires
		return v
	}
	if next == CreateAuth {
		return p.do(p.authSecret(state, m.Minted))
	}
	if v, ok := p.inventory(); !ok {
		v.Again = p.entry.MintExpires
		return v
	}
	return p.do(Step{Do: Mint, Object: p.custom(api.KindTailnet, p.tailnet()), Request: mint.Until(p.tags(), p.entry.MintExpires)})
}

func (p *pass) authSecret(state observe.State, key *mint.Minted) Step {
	return Step{
		Do: CreateAuth, Object: p.auth(), Immutable: true,
		Labels: p.labels(state.UID),
		Annotations: map[string]string{
			api.AnnotationKeyID:      string(key.ID),
			api.AnnotationKeyExpires: expiry.Format(key.Expiration),
		},
		Secret: map[string]sealed.Bytes{api.AuthSecretKey: key.Bytes},
	}
}

// labels are those of the records. They carry no engine's keys, and not the label
// by which policies know the nine (LC-18).
func (p *pass) labels(stateUID string) map[string]string {
	return map[string]string{api.LabelGatewayUID: p.uid(), api.LabelStateUID: stateUID}
}

// record writes the auth receipt, from the answer to the Create of GW-auth and
// never from the Secret that is there (MT-02).
func (p *pass) record(secret observe.Object, expired bool) Verdict {
	m := p.Attempt.Minting
	if expired || !p.attempting() || m.Minted == nil || m.Auth == nil || *m.Auth != p.stored(secret) {
		return p.inTheWay(p.auth(), isUnproven, "")
	}
	gateway, tailnet := p.scopes()
	r := receipt.Auth{Gateway: gateway, Tailnet: tailnet, Secret: *m.Auth, KeyID: m.Minted.ID, Expires: m.Minted.Expiration}
	return p.do(p.receipt(CreateAuthReceipt, r.Encode()))
}

// stored refers to GW-auth as it is.
func (p *pass) stored(o observe.Object) receipt.Secret {
	return receipt.Secret{Name: api.AuthSecretName(p.g.Name), UID: o.UID, Revision: o.Revision}
}

func (p *pass) receipt(do Action, text []byte) Step {
	o := p.authReceipt()
	if do == CreateFresh {
		o = p.fresh()
	}
	return Step{
		Do: do, Object: o, Immutable: true,
		Labels: p.labels(p.entry.StateUID),
		Data:   map[string]string{api.DataReceipt: string(text)},
	}
}

// finish writes the completion receipt. The evidence is durable, so that any
// process may: it was made for the gateway and the Tailnet exactly as they are,
// and the nine are still right (LC-09, LC-16).
func (p *pass) finish(state observe.State, secret observe.Object, record observe.AuthRecord, expired bool) Verdict {
	r := record.Receipt
	gateway, tailnet := p.scopes()
	switch {
	case record.Err != nil:
		return p.inTheWay(p.authReceipt(), isIllegible, "data["+api.DataReceipt+"]")
	case !record.Of(p.uid()):
		return p.inTheWay(p.authReceipt(), isForeign, label(api.LabelGatewayUID))
	case record.Deleting || !record.Immutable:
		return p.inTheWay(p.authReceipt(), isEdited, unusable(record.Object, "immutable"))
	case !r.Gateway.Same(gateway):
		return p.inTheWay(p.authReceipt(), isOther, "gateway")
	case !r.Tailnet.Same(tailnet):
		return p.inTheWay(p.authReceipt(), isOther, "tailnet")
	case !r.Expires.Equal(p.entry.MintExpires):
		return p.inTheWay(p.authReceipt(), isOther, "key.expires")
	case !r.Keeps(p.stored(secret)):
		return p.inTheWay(p.auth(), isEdited, "metadata.resourceVersion")
	case expired:
		return p.inTheWay(p.auth(), hasExpired, keyExpires)
	}
	if v, ok := p.nine(CreateFresh); !ok {
		v.Again = p.entry.MintExpires
		return v
	}
	return p.do(p.receipt(CreateFresh, p.completion(state, record).Encode()))
}

// completion is the receipt of what is there (LC-13).
func (p *pass) completion(state observe.State, record observe.AuthRecord) receipt.Completion {
	c := receipt.Completion{
		Rule: receipt.CurrentRule, RenderFormat: format(p.g),
		Gateway: receipt.GatewaySubject(p.g), Tailnet: receipt.TailnetSubject(p.t),
		State:   receipt.Reference{Name: p.state().Name, UID: state.UID},
		Auth:    receipt.Reference{Name: p.authReceipt().Name, UID: record.UID},
		KeyID:   record.Receipt.KeyID,
		Expires: record.Receipt.Expires,
		Objects: make([]receipt.Object, 0, objects.Count),
	}
	for i, fact := range p.Nine {
		m, _ := fact.Get()
		c.Objects = append(c.Objects, receipt.Object{Kind: p.names[i].Kind, Name: p.names[i].Name, UID: m.UID, Digest: m.Digest})
	}
	return c
}
