package teardown

import (
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
)

// Decide returns the one step that is due for a gateway that is being deleted, and
// what Ready says. Every fact that a step rests on is known (LC-06); facts about
// what goes later may be unknown. A gateway that is not being deleted, or is
// another minter's, is left alone.
func Decide(w World) Verdict {
	p, ok := newPass(w)
	switch {
	case !ok, p.g.DeletionTimestamp == nil, p.t != nil && p.namespace != p.Namespace:
		return Verdict{Verdict: verdict.Verdict{LeaveAlone: true}}
	case !finalized(p.g.Finalizers):
		return say(deleting, RemoveFinalizer, p.self()) // what it waits for is others'
	case verdict.Suspended(p.g):
		v := p.release()
		v.Reason, v.Values = api.ReasonSuspended, nil
		return v
	case !p.consents():
		return p.release()
	}
	if v, ok := p.readable(); !ok {
		return v
	}
	if v, ok := p.reachable(); !ok {
		return v
	}
	for _, stage := range stages {
		if v, done := stage(p); !done {
			return v
		}
	}
	return p.release()
}

// stages are what goes, in the order of TD-02. Each is done, or says what is due.
var stages = []func(*pass) (v Verdict, done bool){
	(*pass).closeEntry,
	(*pass).workload,
	(*pass).pods,
	(*pass).node,
	(*pass).key,
	(*pass).children,
	(*pass).records,
}

// readable sees to it that it is known what there is to go by, and that a receipt
// under our name is ours: it is the inventory, so nothing goes before (TD-03).
func (p *pass) readable() (v Verdict, ok bool) {
	switch {
	case p.Tailnet.Unknown():
		return unread(p.network()), false
	case p.Registry.Unknown():
		return unread(p.bindings()), false
	case p.Fresh.Unknown():
		return unread(p.fresh()), false
	case p.Fresh.Absent() && p.Stage.Unknown():
		return unread(p.stage()), false
	}
	r, there := p.receipt()
	switch {
	case !there || p.whole || p.former(r):
		return Verdict{}, true
	case p.Fresh.Known():
		return say(blocked, ReadReceipt, p.fresh()), false
	}
	return say(blocked, ReadReceipt, p.stage()), false
}

// reachable retains a gateway that no Headscale client can be had for: its node
// and its key could not follow (TD-05). Once the workload is gone it is too late
// for that, and only somebody's word ends it.
func (p *pass) reachable() (v Verdict, ok bool) {
	switch {
	case p.t != nil && p.Client.Known():
		return Verdict{}, true
	case p.t != nil && p.Client.Unknown():
		return unread(p.headscale()), false
	case !p.whole || p.listed():
		return p.release(), false
	}
	set := p.child(0)
	child, there := set.Get()
	switch {
	case set.Unknown():
		return unread(p.object("StatefulSet", p.g.Name)), false
	case there && !child.Deleting:
		return p.release(), false
	}
	return say(blocked, DeleteNode, p.network()), false
}

// listed reports whether the registry holds anything under the gateway's name,
// whole or not, ours or not.
func (p *pass) listed() bool {
	r, _ := p.Registry.Get()
	return registry.Changed(r.Data, registry.Without(r.Data, p.g.Name), p.g.Name)
}

// closeEntry comes first: from then on no engine can make again what is deleted.
func (p *pass) closeEntry() (v Verdict, done bool) {
	r, _ := p.Registry.Get()
	if !p.listed() {
		return Verdict{}, true
	}
	return due(verdict.Step{Do: CloseEntry, Object: p.bindings(), Revision: r.Revision, Data: registry.Without(r.Data, p.g.Name)}), false
}

// pods waits until no Pod has the gateway's UID: they use state and key by their
// names, and a node whose Pod runs would come back (B46).
func (p *pass) pods() (v Verdict, done bool) {
	if p.Pods.Unknown() {
		return unread(p.object("Pod", p.g.Name+"-0")), false
	}
	if pod, there := p.labelled(); there {
		return say(deleting, AwaitPods, p.object("Pod", pod.Name)), false
	}
	return Verdict{}, true
}

func (p *pass) labelled() (pod observe.Pod, there bool) {
	pods, _ := p.Pods.Get()
	for _, pod := range pods {
		if pod.Labels[api.LabelGatewayUID] == p.uid() {
			return pod, true
		}
	}
	return observe.Pod{}, false
}
