package teardown

import (
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/renderer/rules"
)

// claim is what a gateway has on an object under one of its names.
type claim uint8

const (
	ours    claim = iota // it is deleted
	foreign              // it blocks (TD-03)
	others               // it stays (TD-04)
)

// target is an object whose turn it is.
type target struct {
	do       verdict.Action
	object   rules.Object
	unknown  bool
	there    bool
	deleting bool
	uid      string
	claim    claim
}

// remove deletes an object by its UID, and waits until it is gone.
func remove(t target) (v Verdict, done bool) {
	switch {
	case t.unknown:
		return unread(t.object), false
	case !t.there || t.claim == others:
		return Verdict{}, true
	case t.claim == foreign || t.uid == "":
		return say(blocked, t.do, t.object), false
	case t.deleting:
		return say(deleting, t.do, t.object), false
	}
	return due(verdict.Step{Do: t.do, Object: t.object, UID: t.uid}), false
}

// workload deletes the StatefulSet. One that stays must have no Pod with the
// gateway's UID: state and key would be taken from under it.
func (p *pass) workload() (v Verdict, done bool) {
	if p.whole {
		return remove(p.recordedChild(0))
	}
	t, v, ok := p.provable(observe.Workload)
	if !ok {
		return v, false
	}
	if _, runs := p.labelled(); runs && t.there && t.claim == others {
		t.claim = foreign
	}
	return remove(t)
}

// children deletes the rest of the nine.
func (p *pass) children() (v Verdict, done bool) {
	if p.whole {
		for i := range p.inventory.Objects {
			if v, done := remove(p.recordedChild(i)); !done {
				return v, false
			}
		}
		return Verdict{}, true
	}
	for i := observe.Workload - 1; i >= 0; i-- {
		t, v, ok := p.provable(i)
		if !ok {
			return v, false
		}
		if v, done := remove(t); !done {
			return v, false
		}
	}
	return Verdict{}, true
}

// child is the i-th of Children, unknown where the caller has not read it.
func (p *pass) child(i int) observe.Fact[Child] {
	if len(p.Children) != len(p.inventory.Objects) {
		return observe.Unknown[Child](observe.NotRead)
	}
	return p.Children[i]
}

// recordedChild is the i-th object of Names, which must have the UID that the
// receipt records.
func (p *pass) recordedChild(i int) target {
	o := p.recorded()[i]
	fact := p.child(i)
	live, there := fact.Get()
	t := target{
		do: DeleteChild, object: p.object(o.Kind, o.Name),
		unknown: fact.Unknown(), there: there, deleting: live.Deleting, uid: live.UID,
	}
	if i == 0 {
		t.do = DeleteWorkload
	}
	if live.UID != o.UID {
		t.claim = foreign
	}
	return t
}

// provable is one of the nine of an attempt without a receipt. It goes only if it
// carries both UIDs, is not older than the state Secret and equals the render;
// everything else stays (TD-04). ok is false where that cannot be told.
func (p *pass) provable(i int) (t target, v Verdict, ok bool) {
	live, there := p.Nine[i].Get()
	t = target{do: DeleteChild, object: p.names[i], there: there, deleting: live.Deleting, uid: live.UID, claim: others}
	if i == observe.Workload {
		t.do = DeleteWorkload
	}
	state, known := p.State.Get()
	switch {
	case p.State.Unknown():
		return t, unread(p.state()), false
	case p.Nine[i].Unknown():
		return t, unread(t.object), false
	case there && live.Result.State == 0 && p.Render.Unknown():
		return t, unread(p.custom(api.KindTailnetEgress, p.namespace)), false
	}
	if known && state.Of(p.uid()) && attempts(live.Result) {
		t.claim = ours
	}
	return t, Verdict{}, true
}

// attempts reports whether one of the nine is of the attempt, also while it goes.
func attempts(r verify.Result) bool {
	switch r.State {
	case verify.Same, verify.Behind:
		return true
	case verify.Terminating:
		return len(r.Differences) == 0 || r.Differences[0].Class == digest.Mutable
	}
	return false
}
