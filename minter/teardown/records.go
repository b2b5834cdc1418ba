package teardown

import (
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/rules"
)

// records deletes what the minter itself has made, the receipts last: as long as
// something is left they say what it is. A stage that is not ours is found before
// the receipt goes, since afterwards nothing would call it foreign.
func (p *pass) records() (v Verdict, done bool) {
	if p.AuthReceipt.Unknown() { // it also tells which GW-auth is ours
		return unread(p.authReceipt()), false
	}
	stage := p.stageTarget()
	all := []target{p.authTarget(), p.stateTarget(), p.authReceiptTarget()}
	if stage.unknown || stage.claim == foreign {
		all = append(all, stage)
	}
	for _, t := range append(all, p.freshTarget(), stage) {
		if v, done := remove(t); !done {
			return v, false
		}
	}
	return Verdict{}, true
}

// record is an object of the minter's own. With a receipt it must be the recorded
// one; without, our label makes it ours, and another stays.
func (p *pass) record(do verdict.Action, name rules.Object, there, unknown bool, o observe.Object, recorded bool) target {
	t := target{do: do, object: name, unknown: unknown, there: there, deleting: o.Deleting, uid: o.UID}
	switch {
	case p.whole && !recorded:
		t.claim = foreign
	case !p.whole && !o.Of(p.uid()):
		t.claim = others
	}
	return t
}

// authTarget is GW-auth. Its UID is in the auth receipt; where that is gone, or is
// not the recorded one, the label must do. A Secret of the user's carries none
// (TD-05).
func (p *pass) authTarget() target {
	secret, there := p.Auth.Get()
	recorded := secret.Of(p.uid())
	if r, ok := p.AuthReceipt.Get(); ok && r.Err == nil && p.recordedAuth(r) {
		recorded = secret.UID == r.Receipt.Secret.UID
	}
	return p.record(DeleteAuth, p.auth(), there, p.Auth.Unknown(), secret, recorded)
}

func (p *pass) stateTarget() target {
	state, there := p.State.Get()
	return p.record(DeleteState, p.state(), there, p.State.Unknown(), state.Object, state.UID == p.inventory.State.UID)
}

func (p *pass) authReceiptTarget() target {
	r, there := p.AuthReceipt.Get()
	return p.record(DeleteAuthReceipt, p.authReceipt(), there, p.AuthReceipt.Unknown(), r.Object, p.recordedAuth(r))
}

// recordedAuth reports whether an auth receipt is the one that the completion
// receipt records, and says whose it is.
func (p *pass) recordedAuth(r observe.AuthRecord) bool {
	return r.Of(p.uid()) && r.UID == p.inventory.Auth.UID
}

// freshTarget is GW-fresh: the inventory, or one of a former format with our
// label.
func (p *pass) freshTarget() target {
	r, there := p.Fresh.Get()
	return p.record(DeleteFresh, p.fresh(), there, p.Fresh.Unknown(), r.Object, r.Of(p.uid()))
}

func (p *pass) stageTarget() target {
	r, there := p.Stage.Get()
	return p.record(DeleteStage, p.stage(), there, p.Stage.Unknown(), r.Object, p.sound(r))
}
