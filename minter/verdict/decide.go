package verdict

import (
	"slices"
	"strconv"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Decide returns the one write that is due, if any, and what Ready says. Every
// fact that the answer rests on is known, or nothing is written (LC-06); facts
// that it does not rest on may be unknown.
func Decide(w observe.World) Verdict {
	g, ok := w.Gateway.Get()
	if !ok {
		return Verdict{LeaveAlone: true}
	}
	p := newPass(w, g)
	if p.foreignEntry() {
		return p.ours(p.removeForeignEntry())
	}
	if Suspended(g) {
		return p.suspended()
	}
	v := p.ours(p.active())
	v.Evidence = p.seen
	return v
}

// Suspended reports whether a gateway is suspended: all but an explicit false is
// (LC-02).
func Suspended(g *v1alpha1.TailnetGateway) bool { return g.Spec.Suspend == nil || *g.Spec.Suspend }

// suspended asks for nothing but the finalizer: whatever else is there, or is
// missing, stays as it is (LC-03, TD-05).
func (p *pass) suspended() Verdict {
	v := Verdict{Reason: api.ReasonSuspended}
	if p.finalized() && (!p.consents() || p.terminating()) {
		v.Step = p.finalizer(RemoveFinalizer)
	}
	return v
}

// ours turns the verdict on an active gateway into one that leaves it alone where
// its Tailnet is another minter's (RN-12). A foreign entry in our own registry is
// removed all the same.
func (p *pass) ours(v Verdict) Verdict {
	switch {
	case p.t != nil && p.namespace != p.Namespace && v.Step.Do != RemoveForeignEntry:
		return Verdict{LeaveAlone: true}
	case v.Step.Do == RemoveForeignEntry:
		return v
	case p.finalized() && !p.consents():
		v.Step = p.finalizer(RemoveFinalizer) // also the way out of a teardown that is stuck (TD-01)
	case p.finalized() || !p.consents() || p.terminating() || p.t == nil || p.Registry.Unknown():
	case Held(p.t):
		v.Step = p.finalizer(AddFinalizer)
	default:
		v.Unheld = true
	}
	return v
}

// Held reports whether a Tailnet stays until its finalizer is removed. A gateway
// gets its own finalizer only then: in whatever order an engine deletes both, key
// and URL outlive the gateway (TD-07).
func Held(t *v1alpha1.Tailnet) bool { return slices.Contains(t.Finalizers, api.FinalizerTeardown) }

// active decides about a gateway that is not suspended.
func (p *pass) active() Verdict {
	p.survey()
	switch {
	case p.terminating():
		v := p.wait(api.ReasonDeleting, RemoveFinalizer, p.custom(api.KindTailnetGateway, p.g.Name))
		v.Teardown = p.consents() && p.finalized()
		return v
	case p.Tailnet.Unknown():
		return p.unavailable(p.custom(api.KindTailnet, p.tailnet()).String())
	case p.t == nil:
		return p.ready(api.ReasonTailnetMissing, values{"object": p.custom(api.KindTailnet, p.tailnet()).String()})
	case p.Registry.Unknown():
		return p.unavailable(p.object("ConfigMap", api.BindingsName).String())
	}
	if err := verify.KnownFormat(format(p.g)); err != nil {
		return p.ready(api.ReasonFormatUnknown, values{"format": strconv.Itoa(format(p.g))})
	}
	if p.Fresh.Unknown() {
		return p.unavailable(p.object("ConfigMap", api.FreshName(p.g.Name)).String())
	}
	if fresh, ok := p.Fresh.Get(); ok {
		return p.complete(fresh)
	}
	return p.bootstrap()
}

// format is the gateway's render format: format 1 where it names none (RN-11).
func format(g *v1alpha1.TailnetGateway) int {
	if g.Spec.RenderFormat == 0 {
		return 1
	}
	return int(g.Spec.RenderFormat)
}
