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
		return p.inTheWay(p.bindings(), namesOther, "data."+api.BindingKey(p.g.Name, api.BindingStateUID))
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
		return p.inTheWay(p.fresh(), isForeign, label(api.LabelGatewayUID)), false // an earlier gateway's
	case errors.Is(fresh.Err, receipt.ErrFormerFormat):
		return p.identityChanged(p.fresh(), isFormer, content), false // LC-17
	case fresh.Err != nil && p.listed && p.entry.Phase == registry.Open:
		return p.inTheWay(p.fresh(), isIllegible, content), false // nothing can have been completed
	case fresh.Err != nil, c.Rule != receipt.CurrentRule:
		return p.lost(p.fresh(), isIllegible, content), false
	case fresh.Deleting || !fresh.Immutable:
		return p.lost(p.fresh(), isEdited, unusable(fresh.Object, "immutable")), false
	case c.Gateway.Name != p.g.Name || c.Gateway.UID != p.uid():
		return p.lost(p.fresh(), isForeign, "gateway"), false
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
		return p.lost(p.state(), isMissing, ""), false
	case state.UID != c.State.UID:
		return p.lost(p.state(), isReplaced, "metadata.uid"), false
	case state.Deleting || state.Immutable:
		return p.lost(p.state(), isEdited, unusable(state.Object, "")), false
	case !recorded:
		return p.lost(p.authReceipt(), isMissing, ""), false
	case record.Err != nil || !c.RestsOn(ref, record.Receipt):
		return p.lost(p.authReceipt(), isReplaced, "data["+api.DataReceipt+"]"), false
	case record.Deleting || !record.Immutable:
		return p.lost(p.authReceipt(), isEdited, unusable(record.Object, "immutable")), false
	case !keyed:
		return p.lost(p.auth(), isMissing, ""), false
	case !record.Receipt.Keeps(p.stored(secret)):
		return p.lost(p.auth(), isEdited, "metadata.resourceVersion"), false
	case secret.Deleting:
		return p.lost(p.auth(), isDeleting, "metadata.deletionTimestamp"), false
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
		return p.identityChanged(p.custom(api.KindTailnetGateway, p.g.Name), wasChanged, path), false
	}
	tailnet := p.custom(api.KindTailnet, p.t.Name)
	if c.Tailnet.Name != p.t.Name || c.Tailnet.UID != string(p.t.UID) {
		return p.lost(tailnet, isReplaced, "metadata.uid"), false
	}
	if path, changed := c.Tailnet.Identity.Changed(receipt.TailnetIdentity(p.t)); changed {
		return p.identityChanged(tailnet, wasChanged, path), false
	}
	return Verdict{}, true
}

func (p *pass) identityChanged(o rules.Object, problem, path string) Verdict {
	return p.ready(api.ReasonIdentityChanged, values{"object": o.String(), "problem": problem, "path": path})
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
			return p.lost(p.names[i], isMissing, ""), false
		case m.Retained == verify.Replaced:
			return p.lost(p.names[i], isReplaced, "metadata.uid"), false
		case m.Deleting:
			return p.lost(p.names[i], isDeleting, "metadata.deletionTimestamp"), false
		case m.Retained != verify.Same && (m.Result.State == verify.Same || m.Result.State == verify.Behind):
			return p.changed(p.names[i], hasFollowed, "", revert), false
		case m.Retained != verify.Same:
			return p.changed(p.names[i], hasDrifted, m.Result.Path, restore), false
		case unlike(m.Result):
			return p.changed(p.names[i], isPinned, m.Result.Path, revert), false
		}
	}
	return Verdict{}, true
}

// unlike reports whether one of the nine that is as it was at completion is not what
// the present spec asks for. A zone whose serial does not belong to it is a matter
// of the condition DNSReady alone (DL-05).
func unlike(r verify.Result) bool {
	live := func(d verify.Difference) bool { return d.Class != verify.Pinned }
	return r.State == verify.WrongUID ||
		r.State == verify.Different && (len(r.Differences) == 0 || !live(r.Differences[0]))
}
