package rewrite

import (
	"bytes"
	"cmp"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// The actions, in their order. The first and the third create the object of the
// step, the others delete it by its UID and revision.
const (
	StageReceipt   verdict.Action = "StageReceipt"
	DeleteReceipt  verdict.Action = "DeleteReceipt"
	PromoteReceipt verdict.Action = "PromoteReceipt"
	DropStage      verdict.Action = "DropStage"
)

// Actions returns every action that Decide may ask for, in their order.
func Actions() []verdict.Action {
	return []verdict.Action{StageReceipt, DeleteReceipt, PromoteReceipt, DropStage}
}

// World is what a rewrite rests on.
type World struct {
	observe.World

	// Stage is GW-fresh-next with its content.
	Stage observe.Fact[observe.Completion]

	// Former are the digests of Nine under receipt.RuleV010, by verify.FormerDigest;
	// empty for what is not there.
	Former [objects.Count]string
}

// Decide returns the one step that is due, or what blocks it; concerned is false
// where there is nothing to rewrite or to promote, and package verdict decides. The
// whole retained set is looked at before each step, so that a receipt of the
// present rule says no more than the one before it did.
func Decide(w World) (v verdict.Verdict, concerned bool) {
	p, ok := newPass(w)
	if !ok {
		return verdict.Verdict{}, false
	}
	fresh, there := w.Fresh.Get()
	former := there && fresh.Receipt.Rule == receipt.RuleV010
	switch {
	case w.Fresh.Unknown(), there && !p.sound(fresh), there && fresh.Deleting && w.Stage.Absent(),
		there && !former && w.Stage.Unknown():
		return verdict.Verdict{}, false
	case w.Stage.Unknown():
		return p.unavailable(p.next()), true
	case !there:
		return p.promote()
	case former:
		return p.rewrite(fresh), true
	}
	return p.settle(fresh)
}

// rewrite stages the receipt under the present rule, and makes room for it.
func (p *pass) rewrite(fresh observe.Completion) verdict.Verdict {
	if v, ok := p.retained(fresh.Receipt); !ok {
		return v
	}
	next := p.current(fresh.Receipt)
	stage, staged := p.Stage.Get()
	switch {
	case !staged:
		return p.create(StageReceipt, p.next(), next)
	case !stage.Of(p.uid()):
		return p.inTheWay(p.next(), isForeign, "metadata.labels["+api.LabelGatewayUID+"]")
	case stage.Deleting:
		return p.wait(StageReceipt, p.next(), isDeleting)
	case !p.sound(stage) || !same(stage.Receipt, next):
		return p.inTheWay(p.next(), isOther, content)
	case fresh.Deleting:
		return p.wait(PromoteReceipt, p.fresh(), isDeleting)
	}
	return p.delete(DeleteReceipt, p.fresh(), fresh.Object)
}

// promote makes GW-fresh of the stage: of ours alone, and only if everything is as
// it says. Removing it would lose the last receipt, so nobody is told to.
func (p *pass) promote() (v verdict.Verdict, concerned bool) {
	stage, staged := p.Stage.Get()
	if !staged || !stage.Of(p.uid()) {
		return verdict.Verdict{}, false
	}
	switch {
	case stage.Deleting:
		return p.lost(p.next(), isDeleting, "metadata.deletionTimestamp"), true
	case !p.sound(stage) || stage.Receipt.Rule != receipt.CurrentRule:
		return p.lost(p.next(), isIllegible, content), true
	}
	if v, ok := p.retained(stage.Receipt); !ok {
		return v, true
	}
	return p.create(PromoteReceipt, p.fresh(), stage.Receipt), true
}

// settle removes the stage when GW-fresh says the same. Another one is left alone:
// the receipt that counts is there.
func (p *pass) settle(fresh observe.Completion) (v verdict.Verdict, concerned bool) {
	stage, staged := p.Stage.Get()
	if !staged || stage.Deleting || fresh.Deleting || !p.sound(stage) || !same(stage.Receipt, fresh.Receipt) {
		return verdict.Verdict{}, false
	}
	return p.delete(DropStage, p.next(), stage.Object), true
}

// current is a receipt under the present rule, about the same objects.
func (p *pass) current(c receipt.Completion) receipt.Completion {
	c.Rule = receipt.CurrentRule
	recorded := c.Objects
	c.Objects = make([]receipt.Object, len(recorded))
	for i, o := range recorded {
		for n, name := range p.names {
			if m, _ := p.Nine[n].Get(); name.Kind == o.Kind && name.Name == o.Name {
				o.Digest = m.Digest
			}
		}
		c.Objects[i] = o
	}
	return c
}

func same(a, b receipt.Completion) bool { return bytes.Equal(a.Encode(), b.Encode()) }

// sound reports whether a receipt is one of the minter's about this gateway.
func (p *pass) sound(c observe.Completion) bool {
	r := c.Receipt
	return c.Of(p.uid()) && c.Err == nil && c.Immutable && r.Gateway.Name == p.g.Name && r.Gateway.UID == p.uid()
}

// pass is a World while it is decided on.
type pass struct {
	World
	g     *v1alpha1.TailnetGateway
	t     *v1alpha1.Tailnet
	names [objects.Count]rules.Object
}

// newPass prepares a World; ok is false where a gateway is not in service, or is
// another minter's: its receipts are none of this package's business then.
func newPass(w World) (p *pass, ok bool) {
	g, ok := w.Gateway.Get()
	t, there := w.Tailnet.Get()
	if !ok || !there || verdict.Suspended(g) || g.DeletionTimestamp != nil ||
		cmp.Or(string(t.Spec.OperatorNamespace), api.DefaultOperatorNamespace) != w.Namespace {
		return nil, false
	}
	return &pass{World: w, g: g, t: t, names: observe.Names(g, w.Namespace)}, true
}

func (p *pass) uid() string { return string(p.g.UID) }
