package verdict

import (
	"errors"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
)

// complete decides about a gateway with a completion receipt. What it consists of
// is what the receipt says, and the only writes left are the entry and the expiry
// of the key. It never becomes fresh again (LC-20).
func (p *pass) complete(fresh observe.Completion) Verdict {
	if v, ok := p.receiptHolds(fresh); !ok {
		return v
	}
	c := fresh.Receipt
	if v, ok := p.evidenceHolds(c); !ok {
		return v
	}
	switch {
	case p.listed && p.entry.StateUID != c.State.UID:
		return p.blocked(p.bindings(), "data."+api.BindingKey(p.g.Name, api.BindingStateUID))
	case !p.listed:
		return p.doing(p.enter(RewriteEntry, c.Entry()), p.observed(c))
	case p.entry.Phase != registry.Complete:
		return p.doing(p.enter(SwapComplete, c.Entry()), p.observed(c))
	}
	return p.observed(c)
}

// doing adds a step to a verdict that does not depend on it.
func (p *pass) doing(s Step, v Verdict) Verdict {
	v.Step = s
	return v
}

// receiptHolds sees to it that the receipt is one of this minter about this
// gateway.
func (p *pass) receiptHolds(fresh observe.Completion) (v Verdict, ok bool) {
	c := fresh.Receipt
	content := "data[" + api.DataReceipt + "]"
	switch {
	case !fresh.Of(p.uid()):
		return p.inTheWay(p.fresh(), label(api.LabelGatewayUID)), false // an earlier gateway's
	case errors.Is(fresh.Err, receipt.ErrFormerFormat):
		return p.identityChanged(p.fresh(), content), false // LC-17
	case fresh.Err != nil, c.Rule != receipt.CurrentRule:
		return p.blocked(p.fresh(), content), false
	case fresh.Deleting || !fresh.Immutable:
		return p.blocked(p.fresh(), unusable(fresh.Object, "immutable")), false
	case c.Gateway.Name != p.g.Name || c.Gateway.UID != p.uid():
		return p.blocked(p.fresh(), "gateway"), false
	}
	return Verdict{}, true
}

// evidenceHolds sees to it that state, key and auth receipt are the very objects
// that the receipt names, untouched (LC-13, MT-07). The key's expiry is compared
// with the receipt and not with a clock (LC-14).
func (p *pass) evidenceHolds(c receipt.Completion) (v Verdict, ok bool) {
	switch {
	case p.State.Unknown():
		return p.unavailable(p.state().String()), false
	case p.AuthReceipt.Unknown():
		return p.unavailable(p.authReceipt().String()), false
	case p.Auth.Unknown():
		return p.unavailable(p.auth().String()), false
	}
	state, there := p.State.Get()
	record, recorded := p.AuthReceipt.Get()
	secret, keyed := p.Auth.Get()
	ref := receipt.Reference{Name: p.authReceipt().Name, UID: record.UID}
	switch {
	case !there:
		return p.blocked(p.state(), ""), false
	case state.UID != c.State.UID:
		return p.blocked(p.state(), "metadata.uid"), false
	case state.Deleting || state.Immutable:
		return p.blocked(p.state(), unusable(state.Object, "")), false
	case !recorded:
		return p.blocked(p.authReceipt(), ""), false
	case record.Err != nil || !c.RestsOn(ref, record.Receipt):
		return p.blocked(p.authReceipt(), "data["+api.DataReceipt+"]"), false
	case record.Deleting || !record.Immutable:
		return p.blocked(p.authReceipt(), unusable(record.Object, "immutable")), false
	case !keyed:
		return p.blocked(p.auth(), ""), false
	case !record.Receipt.Keeps(p.stored(secret)):
		return p.blocked(p.auth(), "metadata.resourceVersion"), false
	case secret.Deleting:
		return p.blocked(p.auth(), "metadata.deletionTimestamp"), false
	}
	return Verdict{}, true
}

// observed says what Ready is, and expires the key once it has done its work. It
// rests on this pass's evidence alone (LC-15, ST-07, ST-08).
func (p *pass) observed(c receipt.Completion) Verdict {
	if v, ok := p.sameIdentity(c); !ok {
		return v
	}
	if v, ok := p.retained(); !ok {
		return v
	}
	return p.runtime(c)
}

// sameIdentity sees to it that gateway and Tailnet are those of the receipt, and
// no field of class Identity has changed (UP-01).
func (p *pass) sameIdentity(c receipt.Completion) (v Verdict, ok bool) {
	if path, changed := c.Gateway.Identity.Changed(receipt.GatewayIdentity(p.g)); changed {
		return p.identityChanged(p.custom(api.KindTailnetGateway, p.g.Name), path), false
	}
	tailnet := p.custom(api.KindTailnet, p.t.Name)
	if c.Tailnet.Name != p.t.Name || c.Tailnet.UID != string(p.t.UID) {
		return p.blocked(tailnet, "metadata.uid"), false
	}
	if path, changed := c.Tailnet.Identity.Changed(receipt.TailnetIdentity(p.t)); changed {
		return p.identityChanged(tailnet, path), false
	}
	return Verdict{}, true
}

func (p *pass) identityChanged(o rules.Object, path string) Verdict {
	return p.ready(api.ReasonIdentityChanged, values{"object": o.String(), "path": path})
}

// retained sees to it that the nine are those of the receipt, and that no pinned
// field of the spec asks for another (LC-15, UP-01). Where the engine is behind,
// or nothing can be rendered, Ready does not suffer.
func (p *pass) retained() (v Verdict, ok bool) {
	if what, unknown := p.memberUnknown(); unknown {
		return p.unavailable(what), false
	}
	for i, fact := range p.Nine {
		m, there := fact.Get()
		switch {
		case !there:
			return p.blocked(p.names[i], ""), false
		case m.Retained == verify.Replaced:
			return p.blocked(p.names[i], "metadata.uid"), false
		case m.Deleting:
			return p.blocked(p.names[i], "metadata.deletionTimestamp"), false
		case m.Retained != verify.Same:
			return p.blocked(p.names[i], m.Result.Path), false
		case m.Result.State == verify.Different || m.Result.State == verify.WrongUID:
			return p.blocked(p.names[i], m.Result.Path), false
		}
	}
	return Verdict{}, true
}
