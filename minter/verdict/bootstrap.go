package verdict

import (
	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
)

// bootstrap decides about a gateway without a completion receipt. Which step is
// due follows from the state Secret, from the entry that names it, and from what
// exists of key and receipt; nothing else tells how far an attempt is (LC-08).
func (p *pass) bootstrap() Verdict {
	if v, ok := p.sources(); !ok {
		return v
	}
	if what, ok := p.anythingUnknown(); ok {
		return p.unavailable(what)
	}
	state, exists := p.State.Get()
	switch {
	case p.FreshNext.Known():
		return p.inTheWay(p.object("ConfigMap", api.FreshNextName(p.g.Name)), isTaken, "")
	case p.broken != nil:
		return p.inTheWay(p.bindings(), isNoEntry, "data."+api.BindingKey(p.g.Name, api.BindingPhase))
	case !exists:
		return p.withoutState()
	case !state.Of(p.uid()):
		return p.inTheWay(p.state(), isForeign, label(api.LabelGatewayUID))
	case state.Content == proof.Foreign:
		return p.inTheWay(p.state(), isUseless, unusable(state.Object, "data"))
	case !p.listed:
		return p.unnamed(state)
	case p.entry.StateUID != state.UID:
		return p.orphanedEntry()
	}
	switch p.entry.Phase {
	case registry.Open:
		return p.open(state)
	case registry.Minting:
		return p.minting(state)
	}
	return p.lost(p.fresh(), isMissing, "") // complete without its receipt
}

// anythingUnknown names the first fact that a bootstrap rests on and that is not
// known. It rests on all of them: the inventory is one (LC-19).
func (p *pass) anythingUnknown() (what string, ok bool) {
	facts := []struct {
		unknown bool
		what    string
	}{
		{p.State.Unknown(), p.state().String()},
		{p.Auth.Unknown(), p.auth().String()},
		{p.AuthReceipt.Unknown(), p.authReceipt().String()},
		{p.FreshNext.Unknown(), p.object("ConfigMap", api.FreshNextName(p.g.Name)).String()},
		{p.Pods.Unknown(), p.object("Pod", p.pod()).String()},
		{p.Peers.Unknown(), "TailnetGateway"},
		{p.Nodes.Unknown(), p.headscale()},
	}
	for _, f := range facts {
		if f.unknown {
			return f.what, true
		}
	}
	return p.memberUnknown()
}

func (p *pass) memberUnknown() (what string, ok bool) {
	for i, m := range p.Nine {
		if m.Unknown() {
			return p.names[i].String(), true
		}
	}
	return "", false
}

// withoutState decides where there is no state Secret: either nothing is there
// at all, or something is in the way (LC-10).
func (p *pass) withoutState() Verdict {
	if v, ok := p.noEvidence(); !ok {
		return v
	}
	if p.listed {
		return p.orphanedEntry()
	}
	if v, ok := p.nothingThere(); !ok {
		return v
	}
	if v, ok := p.inventory(); !ok {
		return v
	}
	return p.do(Step{Do: CreateState, Object: p.state(), Labels: map[string]string{api.LabelGatewayUID: p.uid()}})
}

// noEvidence sees to it that neither key nor receipt exists: those of another
// attempt are never taken over, and never deleted.
func (p *pass) noEvidence() (v Verdict, ok bool) {
	switch {
	case p.AuthReceipt.Known():
		return p.inTheWay(p.authReceipt(), isLeft, ""), false
	case p.Auth.Known():
		return p.inTheWay(p.auth(), isLeft, ""), false
	}
	return Verdict{}, true
}

// nothingThere sees to it that no name of the nine is taken, and no Pod could
// use what is about to be created (LC-10, LC-11).
func (p *pass) nothingThere() (v Verdict, ok bool) {
	for i, fact := range p.Nine {
		m, there := fact.Get()
		switch {
		case there && !m.Deleting && m.Gateway == p.g.Name:
			return p.leftover(p.names[i]), false
		case there:
			return p.goneOr(p.names[i], m.Deleting, CreateState), false
		}
	}
	pods, _ := p.Pods.Get()
	for _, pod := range pods {
		return p.goneOr(p.object("Pod", pod.Name), pod.Deleting, CreateState), false
	}
	return Verdict{}, true
}

// goneOr waits for an object that is being deleted, and is blocked by another.
func (p *pass) goneOr(o rules.Object, gone bool, step Action) Verdict {
	if gone {
		return p.awaits(step, o, isDeleting)
	}
	return p.inTheWay(o, isTaken, "")
}

// inventory looks beyond the gateway's own objects: at what others claim, and at
// Headscale (LC-19). It comes before the first write and again before the mint.
func (p *pass) inventory() (v Verdict, ok bool) {
	peers, _ := p.Peers.Get()
	if v, ok := p.peers(peers); !ok {
		return v, false
	}
	nodes, _ := p.Nodes.Get()
	for _, id := range proof.Stale(nodes, p.hostname(), proof.Keys{}) {
		return p.inTheWay(p.custom(headscaleNode, string(id)), hasName, ""), false
	}
	return Verdict{}, true
}

func (p *pass) hostname() string {
	if p.g.Spec.Hostname == "" {
		return p.g.Name
	}
	return string(p.g.Spec.Hostname)
}

// orphanedEntry decides about an entry whose state Secret is not there. It is
// closed, or an engine could make a set for it that no attempt would ever
// complete. What was minted for it meanwhile, nobody may use (LC-22).
func (p *pass) orphanedEntry() Verdict {
	if v, ok := p.noEvidence(); !ok {
		return v
	}
	switch {
	case p.entry.Phase == registry.Complete:
		return p.lost(p.fresh(), isMissing, "")
	case p.entry.Phase == registry.Minting && p.Now.Before(p.entry.MintExpires):
		return p.untilExpired(p.state())
	}
	return p.closeEntry()
}

// untilExpired is blocked until a key that may exist has expired (MT-04).
func (p *pass) untilExpired(object rules.Object) Verdict {
	v := p.blocked(object, mayExist, "")
	v.Values["expiry"] = expiry.Format(p.entry.MintExpires)
	v.Again = p.entry.MintExpires
	return v
}

// unnamed decides about a state Secret of ours that no entry names. If its Create
// response is ours the entry follows; nobody else can know which attempt it
// belongs to, and undoes it (LC-08, LC-22).
func (p *pass) unnamed(state observe.State) Verdict {
	if v, ok := p.noEvidence(); !ok {
		return v
	}
	if p.Attempt.StateUID != state.UID || state.Content != proof.Empty {
		return p.restart(state)
	}
	if _, ok := p.nothingThere(); !ok {
		return p.restart(state)
	}
	return p.do(p.enter(OpenEntry, registry.Entry{GatewayUID: p.uid(), StateUID: state.UID, Phase: registry.Open}))
}

// label is the path of a label.
func label(key string) string { return "metadata.labels[" + key + "]" }

// unusable is the path that makes an object useless, or else the given one.
func unusable(o observe.Object, path string) string {
	switch {
	case o.Deleting:
		return "metadata.deletionTimestamp"
	case o.Immutable:
		return "immutable"
	}
	return path
}
