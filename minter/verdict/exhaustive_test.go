package verdict_test

import (
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/model"
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

// allowed says what must be so before a step.
func allowed(w observe.World, v verdict.Verdict) bool {
	s := v.Step
	g := string(gatewayIn(w).UID)
	r, registered := w.Registry.Get()
	e, listed, err := registry.Read(r.Data, "lab-gw")
	state, exists := w.State.Get()
	fresh, completed := w.Fresh.Get()

	if s.Do == verdict.None {
		return true
	}
	if w.Registry.Unknown() || s.Do != verdict.RemoveForeignEntry && r.Data["lab_gw_gateway_uid"] != "" && r.Data["lab_gw_gateway_uid"] != g {
		return false // nothing before a foreign entry is gone
	}
	known := !w.State.Unknown() && !w.Auth.Unknown() && !w.AuthReceipt.Unknown() && !w.Fresh.Unknown() && !w.Pods.Unknown()
	for _, m := range w.Nine {
		known = known && !m.Unknown()
	}
	bare := w.Auth.Absent() && w.AuthReceipt.Absent() && w.Fresh.Absent() && w.FreshNext.Absent()
	mine := exists && state.Labels["tsunaro.io/gateway-uid"] == g && !state.Deleting && !state.Immutable
	named := listed && err == nil && e.GatewayUID == g && exists && e.StateUID == state.UID
	attempt := w.Attempt.Minting
	begun := named && e.Phase == registry.Minting && attempt != nil && attempt.StateUID == e.StateUID && attempt.Expires.Equal(e.MintExpires)
	live := w.Now.Before(e.MintExpires)

	switch s.Do {
	case verdict.RemoveForeignEntry:
		return registered && r.Data["lab_gw_gateway_uid"] != g
	case verdict.CreateState:
		return known && bare && w.State.Absent() && !listed && err == nil && every(w, 0) && len(podsOf(w)) == 0
	case verdict.OpenEntry:
		return known && bare && mine && state.Content == proof.Empty && !listed && err == nil &&
			w.Attempt.StateUID == state.UID && every(w, 0) && len(podsOf(w)) == 0
	case verdict.SwapMinting:
		return known && bare && mine && state.Content == proof.Empty && named && e.Phase == registry.Open && every(w, verify.Same) && awaiting(w)
	case verdict.Mint:
		return known && bare && mine && state.Content == proof.Empty && begun && live && !attempt.Asked && attempt.Minted == nil &&
			every(w, verify.Same) && awaiting(w) && s.Request.Expiration.Equal(e.MintExpires)
	case verdict.CreateAuth:
		return known && bare && mine && state.Content == proof.Empty && begun && live && attempt.Minted != nil && every(w, verify.Same) && awaiting(w)
	case verdict.CreateAuthReceipt:
		auth, ok := w.Auth.Get()
		return known && ok && w.AuthReceipt.Absent() && w.Fresh.Absent() && w.FreshNext.Absent() && mine && begun && live &&
			attempt.Auth != nil && attempt.Auth.UID == auth.UID && attempt.Auth.Revision == auth.Revision
	case verdict.CreateFresh:
		auth, ok := w.Auth.Get()
		record, recorded := w.AuthReceipt.Get()
		return known && ok && recorded && w.Fresh.Absent() && w.FreshNext.Absent() && mine && state.Content != proof.Foreign && named &&
			e.Phase == registry.Minting && live && record.Err == nil && record.Labels["tsunaro.io/gateway-uid"] == g &&
			record.Receipt.Secret.UID == auth.UID && record.Receipt.Secret.Revision == auth.Revision && every(w, verify.Same)
	case verdict.SwapComplete, verdict.RewriteEntry:
		return completed && fresh.Err == nil && fresh.Receipt.Gateway.UID == g && exists && state.UID == fresh.Receipt.State.UID &&
			w.Auth.Known() && w.AuthReceipt.Known() && (s.Do == verdict.SwapComplete) == (listed && err == nil)
	case verdict.ExpireKey:
		return completed && fresh.Err == nil && listed && e.Phase == registry.Complete && exists && state.Content == proof.Filled && s.Key == fresh.Receipt.KeyID
	case verdict.CloseEntry:
		over := e.Phase == registry.Open || e.Phase == registry.Minting && !live
		return known && bare && listed && err == nil && over && (w.State.Absent() || e.StateUID != state.UID || mine && undoable(w))
	case verdict.DeleteObject, verdict.DeleteState:
		podGone := len(podsOf(w)) == 0 || s.Object.Kind == "StatefulSet"
		last := s.Do == verdict.DeleteObject || every(w, 0)
		return known && bare && mine && !listed && err == nil && undoable(w) && podGone && last && s.UID != ""
	}
	return false
}

// every reports whether all nine are in a state; 0 is not there.
func every(w observe.World, want verify.State) bool {
	return !slices.ContainsFunc(w.Nine[:], func(f observe.Fact[observe.Member]) bool {
		m, there := f.Get()
		return there != (want != 0) || there && m.Result.State != want
	})
}

func awaiting(w observe.World) bool {
	all := podsOf(w)
	workload, _ := w.Nine[observe.Workload].Get()
	return len(all) == 1 && all[0].Owner == workload.UID && all[0].Preflight == observe.Passed && all[0].Tailscale == observe.Waiting
}

// undoable is what LC-22 asks of the objects of an attempt.
func undoable(w observe.World) bool {
	state, _ := w.State.Get()
	for _, f := range w.Nine {
		if m, there := f.Get(); there && m.Result.State != verify.Same && m.Result.State != verify.Behind {
			return false
		}
	}
	return state.Content == proof.Empty && !slices.ContainsFunc(podsOf(w), func(p observe.Pod) bool { return p.Tailscale == observe.Started })
}

// TestUnknownStopsABootstrap makes each fact unknown in each world of a bootstrap:
// nothing is written then (LC-06).
//
// REQ: LC-06
func TestUnknownStopsABootstrap(t *testing.T) {
	unknowns := map[string]func(*observe.World){
		"Tailnet":     func(w *observe.World) { w.Tailnet = observe.Unknown[*v1Tailnet](observe.Denied) },
		"Registry":    func(w *observe.World) { w.Registry = observe.Unknown[observe.Registry](observe.Denied) },
		"Hosts":       func(w *observe.World) { w.Hosts = observe.Unknown[observe.Object](observe.Denied) },
		"Render":      func(w *observe.World) { w.Render = observe.Unknown[observe.Render](observe.Denied) },
		"Peers":       func(w *observe.World) { w.Peers = observe.Unknown[[]model.Inputs](observe.Denied) },
		"State":       func(w *observe.World) { w.State = observe.Unknown[observe.State](observe.Denied) },
		"Auth":        func(w *observe.World) { w.Auth = observe.Unknown[observe.Object](observe.Denied) },
		"AuthReceipt": func(w *observe.World) { w.AuthReceipt = observe.Unknown[observe.AuthRecord](observe.Denied) },
		"Fresh":       func(w *observe.World) { w.Fresh = observe.Unknown[observe.Completion](observe.Denied) },
		"FreshNext":   func(w *observe.World) { w.FreshNext = observe.Unknown[observe.Object](observe.Denied) },
		"Nine":        func(w *observe.World) { w.Nine[4] = observe.Unknown[observe.Member](observe.Denied) },
		"Pods":        func(w *observe.World) { w.Pods = observe.Unknown[[]observe.Pod](observe.Denied) },
		"APIKey":      func(w *observe.World) { w.APIKey = observe.Unknown[observe.Accepted](observe.Denied) },
		"Nodes":       func(w *observe.World) { w.Nodes = observe.Unknown[[]node.Node](observe.Denied) },
	}
	stages := []verdict.Action{
		verdict.CreateState, verdict.OpenEntry, verdict.SwapMinting, verdict.Mint, verdict.CreateAuth,
		verdict.CreateAuthReceipt, verdict.CreateFresh, unnamed, expired, closed,
	}
	for _, stage := range stages {
		for name, change := range unknowns {
			w := at(t, stage)
			if verdict.Decide(w).Step.Do == verdict.None {
				t.Fatalf("nothing is due at %s", stage)
			}
			change(&w)
			if v := verdict.Decide(w); v.Step.Do != verdict.None || v.Reason != "EvidenceUnavailable" {
				t.Errorf("%s unknown at %s: %q %s", name, stage, v.Step.Do, v.Reason)
			}
		}
	}
}
