package verdict

import (
	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
)

// open decides while engines may create the nine. The entry proves the attempt:
// whoever opened it, any process may go on.
func (p *pass) open(state observe.State) Verdict {
	if v, ok := p.noEvidence(); !ok {
		return v
	}
	if state.Content != proof.Empty {
		return p.inTheWay(p.state(), isUseless, "data") // a node that no key of ours was made for
	}
	if v, ok := p.whole(SwapMinting); !ok {
		return v
	}
	if v, ok := p.inventory(); !ok {
		return v
	}
	request := mint.New(p.tags(), p.Now)
	gateway, tailnet := p.scopes()
	s := p.enter(SwapMinting, registry.Entry{
		GatewayUID: p.uid(), StateUID: state.UID, Phase: registry.Minting, MintExpires: request.Expiration,
	})
	s.begins = observe.Minting{StateUID: state.UID, Expires: request.Expiration, Gateway: gateway, Tailnet: tailnet}
	return p.do(s)
}

func (p *pass) tags() []string {
	tags := make([]string, len(p.g.Spec.Tags))
	for i, t := range p.g.Spec.Tags {
		tags[i] = string(t)
	}
	return tags
}

// scopes are the custom resources at their present revisions (MT-03).
func (p *pass) scopes() (gateway, tailnet receipt.Scope) {
	return receipt.GatewayScope(p.g), receipt.TailnetScope(p.t)
}

// whole sees to it that the nine are there and right, and the Pod waits for its
// key: nothing else may have one (LC-11, LC-16).
func (p *pass) whole(next Action) (v Verdict, ok bool) {
	if v, ok := p.nine(next); !ok {
		return v, false
	}
	return p.waiting(next)
}

// nine sees to it that all nine are as rendered, for this gateway and this state.
// What is wrong comes before what is merely missing or late.
func (p *pass) nine(next Action) (v Verdict, ok bool) {
	var absent []rules.Object
	var waits []Verdict
	for i, fact := range p.Nine {
		m, there := fact.Get()
		switch {
		case !there:
			absent = append(absent, p.names[i])
		case m.Deleting:
			waits = append(waits, p.awaits(next, p.names[i], isDeleting))
		case m.Result.State == verify.Behind:
			waits = append(waits, p.awaits(next, p.names[i], isLate))
		case m.Result.State != verify.Same:
			return p.wrong(p.names[i], m.Result), false
		}
	}
	switch {
	case len(absent) > 0 && p.Auth.Known():
		return p.lost(absent[0], isMissing, ""), false // nothing makes it again (UP-11)
	case len(absent) == len(p.Nine) && p.entry.Phase == registry.Open:
		return p.ready(api.ReasonAwaitingResources, nil), false
	case len(absent) > 0:
		return p.awaits(next, absent[0], isUnapplied), false
	case len(waits) > 0:
		return waits[0], false
	}
	return Verdict{}, true
}

// wrong blocks on one of the nine. While engines may still create it, or the
// attempt can be undone, removing it helps; later only restoring it does.
func (p *pass) wrong(o rules.Object, r verify.Result) Verdict {
	problem := map[verify.State]string{verify.WrongUID: isUnbound, verify.Older: isOlder}[r.State]
	switch {
	case problem == "" && p.Auth.Known():
		return p.changed(o, hasDrifted, r.Path, restore)
	case problem == "":
		v := p.inTheWay(o, isDifferent, r.Path)
		v.Values["remedy"] = restore
		return v
	case p.Auth.Known():
		return p.lost(o, problem, r.Path)
	}
	return p.inTheWay(o, problem, r.Path)
}

// waiting sees to it that there is exactly one Pod, that of the verified
// StatefulSet, and that it waits for its key (LC-11).
func (p *pass) waiting(next Action) (v Verdict, ok bool) {
	pods, _ := p.Pods.Get()
	var own *observe.Pod
	for i := range pods {
		pod := &pods[i]
		o := p.object("Pod", pod.Name)
		switch {
		case pod.Deleting:
			return p.awaits(next, o, isDeleting), false
		case !p.owns(pod):
			return p.inTheWay(o, isUnowned, ""), false
		case pod.Tailscale == observe.Started:
			return p.inTheWay(o, hasRun, isStarted), false
		}
		own = pod
	}
	switch {
	case own == nil:
		return p.awaits(next, p.object("Pod", p.pod()), isMissing), false
	case own.Preflight == observe.Failed:
		return p.notReady(), false
	case own.Preflight != observe.Passed || own.Tailscale != observe.Waiting:
		return p.awaits(next, p.object("Pod", own.Name), isUnchecked), false
	}
	return Verdict{}, true
}

// owns reports whether a Pod is the gateway's: it has its name, both UIDs, its
// account, and the live StatefulSet for its controller.
func (p *pass) owns(pod *observe.Pod) bool {
	set, ok := p.Nine[observe.Workload].Get()
	return ok && pod.Owner == set.UID && p.labelled(pod) && pod.ServiceAccount == p.g.Name
}

// labelled reports whether a Pod has the name of the gateway's and both UIDs.
func (p *pass) labelled(pod *observe.Pod) bool {
	return pod.Name == p.pod() && pod.Labels[api.LabelGatewayUID] == p.uid() && pod.Labels[api.LabelStateUID] == p.stateUID()
}

// stateUID is the UID that the nine are bound to.
func (p *pass) stateUID() string {
	if f, ok := p.Fresh.Get(); ok {
		return f.Receipt.State.UID
	}
	s, _ := p.State.Get()
	return s.UID
}
