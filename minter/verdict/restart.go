package verdict

import (
	"slices"
	"time"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
)

// settle is how long a state Secret that no entry names is left to the process
// that may have made it. Without that, two minters could undo each other's
// attempts for ever.
const settle = 30 * time.Second

// restart undoes an attempt whose node cannot have started (LC-22). The callers
// have seen that the state Secret is this gateway's, that neither key nor receipt
// exists, and that no entry speaks for the attempt any more. Everything is looked
// at before anything is deleted: an attempt is undone as a whole, or stays.
func (p *pass) restart(state observe.State) Verdict {
	if state.Content != proof.Empty {
		return p.inTheWay(p.state(), isUseless, "data")
	}
	if age := p.Now.Sub(state.Created); age.Abs() < settle {
		v := p.wait(api.ReasonRestarting, DeleteState, p.state())
		v.Again = state.Created.Add(settle)
		return v
	}
	if v, ok := p.undoable(); !ok {
		return v
	}
	if p.listed {
		return p.closeEntry()
	}
	return p.undo(state)
}

// undoable sees to it that all that is there is of this attempt, as rendered, and
// never ran Tailscale.
func (p *pass) undoable() (v Verdict, ok bool) {
	for i, fact := range p.Nine {
		m, there := fact.Get()
		if !there || m.Deleting {
			continue
		}
		switch m.Result.State {
		case verify.Same, verify.Behind:
		default:
			return p.wrong(p.names[i], m.Result), false
		}
	}
	set, there := p.Nine[observe.Workload].Get()
	pods, _ := p.Pods.Get()
	for i := range pods {
		pod := &pods[i]
		o := p.object("Pod", pod.Name)
		switch {
		case pod.Deleting && pod.Tailscale != observe.Started:
		case !p.labelled(pod) || there && pod.Owner != set.UID:
			return p.inTheWay(o, isUnowned, ""), false
		case pod.Tailscale == observe.Started:
			return p.inTheWay(o, hasRun, isStarted), false
		}
	}
	return Verdict{}, true
}

// undo deletes what is left, one object after the other: the StatefulSet first,
// the others when its Pod is gone, the state Secret last. Pods use it by its name.
func (p *pass) undo(state observe.State) Verdict {
	for i := range slices.Backward(p.Nine[:]) {
		if m, there := p.Nine[i].Get(); there {
			return p.undoing(Step{Do: DeleteObject, Object: p.names[i], UID: m.UID}, m.Deleting)
		}
		if pods, _ := p.Pods.Get(); i == observe.Workload && len(pods) > 0 {
			return p.wait(api.ReasonRestarting, DeleteObject, p.object("Pod", pods[0].Name))
		}
	}
	return p.undoing(Step{Do: DeleteState, Object: p.state(), UID: state.UID, Revision: state.Revision}, false)
}

// undoing asks for a step of the restart, or waits for what it has started.
func (p *pass) undoing(s Step, started bool) Verdict {
	v := p.wait(api.ReasonRestarting, s.Do, s.Object)
	if !started {
		v.Step = s
	}
	return v
}

// closeEntry takes the entry away first: from then on no engine can make again
// what is about to be deleted.
func (p *pass) closeEntry() Verdict {
	return p.undoing(p.swap(CloseEntry, registry.Without(p.data, p.g.Name)), false)
}
