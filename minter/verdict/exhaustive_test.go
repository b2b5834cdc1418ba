package verdict_test

import (
	"net/netip"
	"reflect"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
)

// dimension is one fact of a world, with everything that it can be.
type dimension []func(*observe.World)

// product is every combination of the dimensions, applied to a copy of a world.
func product(w observe.World, dimensions []dimension, try func(observe.World)) {
	if len(dimensions) == 0 {
		try(w)
		return
	}
	for _, change := range dimensions[0] {
		next := w
		change(&next)
		product(next, dimensions[1:], try)
	}
}

func set[T any](at func(*observe.World) *observe.Fact[T], facts ...observe.Fact[T]) dimension {
	var d dimension
	for _, f := range facts {
		d = append(d, func(w *observe.World) { *at(w) = f })
	}
	return d
}

// facts of the worlds that a bootstrap goes through, right and wrong ones.
type facts struct {
	g, s, other     string // UIDs of the gateway, its state, and something else
	expires         time.Time
	member          observe.Member
	pod             observe.Pod
	auth            observe.Object
	record          observe.AuthRecord
	fresh           observe.Completion
	swapped, minted observe.Attempt
	created         observe.Attempt
}

func gather(t *testing.T) (observe.World, facts) {
	t.Helper()
	w := at(t, verdict.SwapComplete)
	f := facts{other: uid(90)}
	g, _ := w.Gateway.Get()
	s, _ := w.State.Get()
	f.g, f.s = string(g.UID), s.UID
	f.member, _ = w.Nine[observe.Workload].Get()
	f.member.Retained = 0
	f.auth, _ = w.Auth.Get()
	f.record, _ = w.AuthReceipt.Get()
	f.fresh, _ = w.Fresh.Get()
	f.expires = f.record.Receipt.Expires
	f.minted = w.Attempt
	asked := at(t, verdict.Mint)
	f.swapped, f.pod = asked.Attempt, podsOf(asked)[0]
	f.created = observe.Attempt{GatewayUID: f.g, StateUID: f.s}
	return w, f
}

func podsOf(w observe.World) []observe.Pod { p, _ := w.Pods.Get(); return p }

func (f facts) entry(gateway, state string, phase registry.Phase) observe.Fact[observe.Registry] {
	e := registry.Entry{GatewayUID: gateway, StateUID: state, Phase: phase}
	if phase == registry.Minting {
		e.MintExpires = f.expires
	}
	return observe.Known(observe.Registry{Revision: "1", Data: registry.With(nil, "lab-gw", e)})
}

func (f facts) state(owner string, content proof.Content) observe.Fact[observe.State] {
	return observe.Known(observe.State{
		Object:  observe.Object{UID: f.s, Revision: "5", Created: start, Labels: map[string]string{"tsunaro.io/gateway-uid": owner}},
		Content: content, Readable: content == proof.Filled, Identity: proof.State{Keys: proof.Keys{Machine: "mkey:x", Node: "nodekey:x"}},
	})
}

func (f facts) nine(state verify.State) func(*observe.World) {
	return func(w *observe.World) {
		for i := range w.Nine {
			m := f.member
			m.Result.State = state
			w.Nine[i] = observe.Known(m)
		}
		if fresh, ok := w.Fresh.Get(); ok {
			for i, name := range observe.Names(gatewayIn(*w), namespace) {
				recorded, _ := fresh.Receipt.Object(name.Kind, name.Name)
				member(w, i, func(m *observe.Member) { m.UID, m.Retained = recorded.UID, verify.Same })
			}
		}
	}
}

// worlds calls try with every combination of what a bootstrap rests on, and then
// with every combination of what is left of it once the node has registered.
func worlds(t *testing.T, try func(observe.World)) {
	base, f := gather(t)
	stale := f.record
	stale.Labels = nil
	started, foreign := f.pod, f.pod
	started.Tailscale, foreign.Owner = observe.Started, f.other
	times := dimension{
		func(w *observe.World) { w.Now = start },
		func(w *observe.World) { w.Now = start.Add(24 * time.Hour) },
	}
	fresh := set(func(w *observe.World) *observe.Fact[observe.Completion] { return &w.Fresh },
		observe.Absent[observe.Completion](), observe.Unknown[observe.Completion](observe.Denied), observe.Known(f.fresh))
	attempts := dimension{
		func(w *observe.World) { w.Attempt = observe.Attempt{} },
		func(w *observe.World) { w.Attempt = f.created },
		func(w *observe.World) { w.Attempt = f.swapped },
		func(w *observe.World) { w.Attempt = f.minted },
	}
	durable := []dimension{
		set(func(w *observe.World) *observe.Fact[observe.Registry] { return &w.Registry },
			observe.Absent[observe.Registry](), observe.Unknown[observe.Registry](observe.Denied),
			f.entry(f.other, f.s, registry.Open), f.entry(f.g, f.other, registry.Open), f.entry(f.g, f.other, registry.Minting),
			f.entry(f.g, f.s, registry.Open), f.entry(f.g, f.s, registry.Minting), f.entry(f.g, f.s, registry.Complete),
			observe.Known(observe.Registry{Data: map[string]string{"lab_gw_phase": "open"}})),
		set(func(w *observe.World) *observe.Fact[observe.State] { return &w.State },
			observe.Absent[observe.State](), observe.Unknown[observe.State](observe.Denied),
			f.state(f.other, proof.Empty), f.state(f.g, proof.Empty), f.state(f.g, proof.Filled), f.state(f.g, proof.Foreign)),
		set(func(w *observe.World) *observe.Fact[observe.Object] { return &w.Auth },
			observe.Absent[observe.Object](), observe.Known(f.auth), observe.Known(observe.Object{UID: f.other, Revision: "6"})),
		set(func(w *observe.World) *observe.Fact[observe.AuthRecord] { return &w.AuthReceipt },
			observe.Absent[observe.AuthRecord](), observe.Known(f.record), observe.Known(stale)),
		{
			func(w *observe.World) { w.Nine = nobody() },
			f.nine(verify.Same), f.nine(verify.Behind), f.nine(verify.Different),
			all(f.nine(verify.Same), func(w *observe.World) { w.Nine[3] = observe.Absent[observe.Member]() }),
			all(f.nine(verify.Same), func(w *observe.World) { w.Nine[8] = observe.Unknown[observe.Member](observe.Denied) }),
		},
		set(func(w *observe.World) *observe.Fact[[]observe.Pod] { return &w.Pods },
			observe.Known([]observe.Pod(nil)), observe.Known([]observe.Pod{f.pod}),
			observe.Known([]observe.Pod{started}), observe.Known([]observe.Pod{foreign})),
	}
	product(base, append([]dimension{times, fresh, attempts}, durable...), try)

	base.Nodes = observe.Known([]node.Node{{
		ID: "3", MachineKey: "mkey:x", NodeKey: "nodekey:x", Name: "lab-gw", GivenName: "lab-gw", Online: true,
		Tags: []string{"tag:gateway"}, KeyID: f.fresh.Receipt.KeyID, Addresses: []netip.Addr{netip.MustParseAddr("100.64.0.1")},
	}})
	product(base, append([]dimension{times, fresh}, durable...), try)
}

// TestEverySmallWorld holds every decision about every combination of facts
// against what each step must never do without. The conditions are written down
// here once more, from the requirements.
//
// REQ: LC-06, LC-08, LC-09, LC-10, LC-11, LC-12, LC-16, LC-20, LC-21, LC-22, MT-04
func TestEverySmallWorld(t *testing.T) {
	count := map[verdict.Action]int{}
	n := 0
	worlds(t, func(w observe.World) {
		n++
		v := verdict.Decide(w)
		if n%97 == 0 {
			spoken(t, v)
			if again := verdict.Decide(w); !reflect.DeepEqual(v, again) {
				t.Fatalf("two decisions about one world: %+v, %+v", v, again)
			}
		}
		count[v.Step.Do]++
		if !allowed(w, v) {
			t.Fatalf("%s of %s must not happen in\n%+v", v.Step.Do, v.Step.Object, w)
		}
	})
	if n < 200_000 {
		t.Errorf("%d worlds", n)
	}
	for _, a := range verdict.Actions() {
		if a != verdict.AddFinalizer && a != verdict.RemoveFinalizer && count[a] == 0 { // the truth table has these
			t.Errorf("%s is never due: %v", a, count)
		}
	}
}
