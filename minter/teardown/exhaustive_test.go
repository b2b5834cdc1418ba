package teardown_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
)

// dimension is one fact of a world, with everything that it can be.
type dimension []func(*teardown.World)

// facts makes a dimension of the facts that a place in a world can hold.
func facts[T any](at func(*teardown.World) *observe.Fact[T], all ...observe.Fact[T]) dimension {
	var d dimension
	for _, f := range all {
		d = append(d, func(w *teardown.World) { *at(w) = f })
	}
	return d
}

// product is every combination of the dimensions, applied to a copy of a world.
func product(w teardown.World, dimensions []dimension, try func(teardown.World)) {
	if len(dimensions) == 0 {
		try(w)
		return
	}
	for _, change := range dimensions[0] {
		next := w
		next.Children = slices.Clone(w.Children)
		change(&next)
		product(next, dimensions[1:], try)
	}
}

// space is all that a world of a teardown can be, by what it is about.
func space(t *testing.T) (base teardown.World, d map[string]dimension) {
	t.Helper()
	base = staged(t).read()
	fresh, _ := base.Fresh.Get()
	record, _ := base.AuthReceipt.Get()
	data := func(m map[string]string) observe.Fact[observe.Registry] {
		return observe.Known(observe.Registry{Revision: "5", Data: m})
	}
	r, _ := base.Registry.Get()
	bare := map[string]string{"other_gw_phase": "open"}
	foreignEntry := maps.Clone(bare)
	foreignEntry["lab_gw_gateway_uid"] = uid(90)
	receipts := func(f observe.Completion) []observe.Fact[observe.Completion] {
		stranger, garbage, former := f, f, f
		stranger.Labels = nil
		garbage.Err, garbage.Receipt = receipt.ErrUnknownRule, receipt.Completion{}
		former.Err, former.Receipt = receipt.ErrFormerFormat, receipt.Completion{}
		return []observe.Fact[observe.Completion]{
			observe.Absent[observe.Completion](), observe.Unknown[observe.Completion](observe.Denied),
			observe.Known(f), observe.Known(stranger), observe.Known(former), observe.Known(garbage),
		}
	}
	state, _ := base.State.Get()
	empty, otherState := state, state
	empty.Content, empty.Readable, empty.Identity = proof.Empty, false, proof.State{}
	otherState.UID, otherState.Labels = uid(91), map[string]string{"tsunaro.io/gateway-uid": uid(92)}
	auth, _ := base.Auth.Get()
	otherAuth, otherRecord, badRecord := auth, record, record
	otherAuth.UID, otherAuth.Labels = uid(93), nil
	otherRecord.UID, otherRecord.Labels = uid(94), nil
	badRecord.Err, badRecord.Receipt = receipt.ErrAuth, receipt.Auth{}
	pod := observe.Pod{Name: "lab-gw-0", Labels: labels()}
	renamed, stranger := ownNode(), otherNode("8")
	renamed.GivenName, stranger.KeyID = "lab-gw-1", "5"
	d = map[string]dimension{
		"registry": facts(func(w *teardown.World) *observe.Fact[observe.Registry] { return &w.Registry },
			data(bare), data(r.Data), observe.Unknown[observe.Registry](observe.Denied), observe.Absent[observe.Registry](), data(foreignEntry)),
		"fresh":    facts(func(w *teardown.World) *observe.Fact[observe.Completion] { return &w.Fresh }, receipts(fresh)...),
		"stage":    facts(func(w *teardown.World) *observe.Fact[observe.Completion] { return &w.Stage }, receipts(fresh)...),
		"workload": member(0, 8, uid(18)),
		"child":    member(1, 3, uid(13)),
		"pods": facts(func(w *teardown.World) *observe.Fact[[]observe.Pod] { return &w.Pods },
			observe.Known([]observe.Pod(nil)), observe.Known([]observe.Pod{pod}), observe.Known([]observe.Pod{{Name: "lab-gw-0"}}),
			observe.Unknown[[]observe.Pod](observe.Denied)),
		"state": facts(func(w *teardown.World) *observe.Fact[observe.State] { return &w.State },
			observe.Absent[observe.State](), observe.Known(state), observe.Known(empty), observe.Known(otherState), observe.Unknown[observe.State](observe.Denied)),
		"auth": facts(func(w *teardown.World) *observe.Fact[observe.Object] { return &w.Auth },
			observe.Absent[observe.Object](), observe.Known(auth), observe.Known(otherAuth), observe.Unknown[observe.Object](observe.Denied)),
		"record": facts(func(w *teardown.World) *observe.Fact[observe.AuthRecord] { return &w.AuthReceipt },
			observe.Absent[observe.AuthRecord](), observe.Known(record), observe.Known(otherRecord), observe.Known(badRecord), observe.Unknown[observe.AuthRecord](observe.Denied)),
		"nodes": facts(func(w *teardown.World) *observe.Fact[[]node.Node] { return &w.Nodes },
			observe.Known([]node.Node{otherNode("9")}), observe.Known([]node.Node{ownNode()}), observe.Known([]node.Node{renamed}),
			observe.Known([]node.Node{stranger}), observe.Known([]node.Node{otherNode("7")}), observe.Unknown[[]node.Node](observe.Unreachable)),
		"gone": facts(func(w *teardown.World) *observe.Fact[bool] { return &w.Gone },
			observe.Known(true), observe.Known(false), observe.Unknown[bool](observe.Unreadable)),
		"key": facts(func(w *teardown.World) *observe.Fact[time.Time] { return &w.KeyExpires },
			observe.Absent[time.Time](), observe.Known(expires), observe.Known(start), observe.Known(expires.Add(1)), observe.Unknown[time.Time](observe.Unreachable)),
		"client": facts(func(w *teardown.World) *observe.Fact[struct{}] { return &w.Client },
			observe.Known(struct{}{}), observe.Absent[struct{}](), observe.Unknown[struct{}](observe.Denied)),
		"spent": {
			func(w *teardown.World) { w.Attempt = observe.Attempt{} },
			func(w *teardown.World) { w.Attempt = observe.Attempt{GatewayUID: uid(1), Spent: "5"} },
		},
	}
	for i := range base.Children {
		base.Children[i] = observe.Absent[teardown.Child]()
	}
	for i := range base.Nine {
		base.Nine[i] = observe.Absent[observe.Member]()
	}
	return base, d
}

// member is one of the nine: the i-th of Children, and the n-th of Nine.
func member(i, n int, recorded string) dimension {
	set := func(child observe.Fact[teardown.Child], m observe.Fact[observe.Member]) func(*teardown.World) {
		return func(w *teardown.World) { w.Children[i], w.Nine[n] = child, m }
	}
	of := func(uid string, deleting bool, s verify.State) func(*teardown.World) {
		return set(observe.Known(teardown.Child{UID: uid, Deleting: deleting}),
			observe.Known(observe.Member{UID: uid, Deleting: deleting, Result: verify.Result{State: s}}))
	}
	return dimension{
		set(observe.Absent[teardown.Child](), observe.Absent[observe.Member]()),
		of(recorded, false, verify.Same), of(uid(95), false, verify.WrongUID), of(recorded, true, verify.Terminating),
		set(observe.Unknown[teardown.Child](observe.Denied), observe.Unknown[observe.Member](observe.Denied)),
	}
}

// TestEverySmallWorld holds every decision about every combination of facts
// against what each step must never do without: once for all objects, once for all
// that Headscale says, and for a sample of both together.
//
// REQ: TD-02, TD-03, TD-04, TD-05, LC-06
func TestEverySmallWorld(t *testing.T) {
	base, d := space(t)
	count, n := map[verdict.Action]int{}, 0
	try := func(w teardown.World) {
		n++
		v := teardown.Decide(w)
		count[v.Step.Do]++
		if why := forbidden(w, v); why != "" {
			t.Fatalf("%s of %s: %s\n%+v", v.Step.Do, v.Step.Object, why, w)
		}
		if n%101 == 0 {
			(&cluster{TB: t}).spoken(v)
			if again := teardown.Decide(w); !reflect.DeepEqual(v, again) {
				t.Fatalf("two decisions about one world: %+v, %+v", v, again)
			}
		}
	}
	first := func(name string, n int) dimension { return d[name][:n] }
	product(base, []dimension{
		first("registry", 3), first("fresh", 5), first("stage", 4), first("workload", 4), first("child", 3), first("pods", 3),
		first("state", 2), first("auth", 3), first("record", 3), first("nodes", 1), first("gone", 1), first("key", 1), first("client", 1),
	}, try)
	product(base, []dimension{
		first("registry", 1), first("fresh", 3), first("stage", 1), first("pods", 2), first("state", 4), first("record", 4),
		d["nodes"], d["gone"], d["key"], d["client"], d["spent"],
	}, try)
	names, chance := slices.Sorted(maps.Keys(d)), rand.New(rand.NewPCG(7, 7))
	for range 30_000 {
		var one []dimension
		for _, name := range names {
			i := chance.IntN(len(d[name]))
			one = append(one, d[name][i:i+1])
		}
		product(base, one, try)
	}
	if n < 80_000 {
		t.Errorf("%d worlds", n)
	}
	for _, a := range teardown.Actions() {
		if count[a] == 0 {
			t.Errorf("%s is never due: %v", a, count)
		}
	}
}

// forbidden says why a step must not happen; the conditions are written down here
// once more, from the requirements.
func forbidden(w teardown.World, v teardown.Verdict) string {
	s := v.Step
	if s.Do == verdict.None {
		return ""
	}
	r, _ := w.Registry.Get()
	_, entry := r.Data["lab_gw_gateway_uid"]
	fresh, hasFresh := w.Fresh.Get()
	stage, _ := w.Stage.Get()
	sound := func(c observe.Completion) bool { return c.Err == nil && c.Labels["tsunaro.io/gateway-uid"] == uid(1) }
	whole := hasFresh && sound(fresh) || w.Fresh.Absent() && w.Stage.Known() && sound(stage)
	state, hasState := w.State.Get()
	mine := hasState && state.UID == uid(3)
	record, hasRecord := w.AuthReceipt.Get()
	mineToo := hasRecord && record.UID == uid(5) && record.Labels != nil
	auth, _ := w.Auth.Get()
	workload, working := w.Children[0].Get()
	child, childThere := w.Children[1].Get()
	nodes, _ := w.Nodes.Get()
	pods, _ := w.Pods.Get()
	provable := func(uid, recorded string) bool { return uid == recorded && (whole || mine) }

	if s.Do == teardown.RemoveFinalizer && w.Client.Absent() {
		if w.Fresh.Unknown() || w.Fresh.Absent() && w.Stage.Unknown() || whole && !entry && w.Children[0].Unknown() {
			return "it may be too late to retain"
		}
		if whole && !entry && !w.Registry.Unknown() && (!working || workload.Deleting) {
			return "it is too late to retain"
		}
		return ""
	}
	steps := []struct {
		do   verdict.Action
		must bool // of this step alone
		done bool // what the later ones need
		why  string
	}{
		{teardown.CloseEntry, entry, !entry, "the entry"},
		{teardown.DeleteWorkload, working && provable(workload.UID, uid(18)) && s.UID == workload.UID,
			w.Children[0].Absent() || !whole && working && !provable(workload.UID, uid(18)), "the workload"},
		{"", false, w.Pods.Known() && (len(pods) == 0 || pods[0].Labels == nil), "its Pods"},
		{teardown.DeleteNode, len(nodes) == 1 && nodes[0].MachineKey == keys.Machine && nodes[0].GivenName == "lab-gw" && (mine && state.Readable || whole),
			noNode(w, nodes, mine && state.Readable, whole, mineToo), "the node"},
		{teardown.ExpireKey, s.Key == "5" && w.KeyExpires == observe.Known(expires) && (whole || mineToo && record.Err == nil),
			!whole && !mineToo || w.Attempt.Spent == "5" || w.KeyExpires.Absent() || w.KeyExpires == observe.Known(start), "the key"},
		{teardown.DeleteChild, childThere && provable(child.UID, uid(13)) && s.UID == child.UID,
			w.Children[1].Absent() || !whole && childThere && !provable(child.UID, uid(13)), "the children"},
		{teardown.DeleteAuth, auth.UID == uid(4) && s.UID == uid(4), w.Auth.Absent() || !whole && auth.Labels == nil && w.Auth.Known(), "the auth Secret"},
		{teardown.DeleteState, mine && s.UID == uid(3), w.State.Absent() || !whole && hasState && !mine, "the state Secret"},
		{teardown.DeleteAuthReceipt, mineToo && s.UID == uid(5), w.AuthReceipt.Absent() || !whole && hasRecord && !mineToo, "the auth receipt"},
		{teardown.DeleteFresh, hasFresh && fresh.Labels != nil && s.UID == uid(6), w.Fresh.Absent(), "the receipt"},
		{teardown.DeleteStage, w.Stage.Known() && stage.Labels != nil, w.Stage.Absent() || !whole && w.Stage.Known() && stage.Labels == nil, "the stage"},
		{teardown.RemoveFinalizer, true, false, ""},
	}
	if !w.Client.Known() || w.Registry.Unknown() || w.Fresh.Unknown() || hasFresh && fresh.Labels == nil || w.Fresh.Absent() && w.Stage.Unknown() {
		return "something that all rests on"
	}
	for _, step := range steps {
		if step.do == s.Do {
			if !step.must {
				return "it is not due"
			}
			return ""
		}
		if !step.done {
			return step.why + " comes before"
		}
	}
	return "no such step"
}

// noNode reports whether it is known that no node of the gateway's is left.
func noNode(w teardown.World, nodes []node.Node, proven, whole, recorded bool) bool {
	if !whole && w.AuthReceipt.Unknown() {
		return false
	}
	if !proven && !whole && !recorded {
		return true // nothing of it ever spoke to Headscale
	}
	keyKnown := whole || recorded
	if !w.Nodes.Known() || nodes[0].MachineKey == keys.Machine || keyKnown && nodes[0].KeyID == "5" {
		return false
	}
	if !proven && !whole { // an attempt whose node, if there was one, had the key
		return true
	}
	if nodes[0].ID == "7" {
		return proven
	}
	return w.Gone == observe.Known(true)
}

// TestUnknown makes each fact unknown at each step that rests on it: nothing is
// written then.
//
// REQ: LC-06
func TestUnknown(t *testing.T) {
	unknowns := map[string]func(*teardown.World){
		"Registry": func(w *teardown.World) { w.Registry = observe.Unknown[observe.Registry](observe.Denied) },
		"Tailnet":  func(w *teardown.World) { w.Tailnet = observe.Unknown[*v1Tailnet](observe.Denied) },
		"Client":   func(w *teardown.World) { w.Client = observe.Unknown[struct{}](observe.Denied) },
		"Fresh":    func(w *teardown.World) { w.Fresh = observe.Unknown[observe.Completion](observe.Denied) },
	}
	later := []struct {
		from string // the first step that rests on it
		name string
		to   func(*teardown.World)
	}{
		{"DeleteWorkload", "Children", func(w *teardown.World) { w.Children = nil }},
		{"DeleteNode", "Pods", func(w *teardown.World) { w.Pods = observe.Unknown[[]observe.Pod](observe.Denied) }},
		{"DeleteNode", "State", func(w *teardown.World) { w.State = observe.Unknown[observe.State](observe.Denied) }},
		{"DeleteNode", "Nodes", func(w *teardown.World) { w.Nodes = observe.Unknown[[]node.Node](observe.Denied) }},
		{"ExpireKey", "Gone", func(w *teardown.World) { w.Gone = observe.Unknown[bool](observe.Denied) }},
		{"ExpireKey", "KeyExpires", func(w *teardown.World) { w.KeyExpires = observe.Unknown[time.Time](observe.Denied) }},
		{"DeleteAuth", "Auth", func(w *teardown.World) { w.Auth = observe.Unknown[observe.Object](observe.Denied) }},
		{"DeleteAuth", "AuthReceipt", func(w *teardown.World) { w.AuthReceipt = observe.Unknown[observe.AuthRecord](observe.Denied) }},
		{"DeleteFresh", "Stage", func(w *teardown.World) { w.Stage = observe.Unknown[observe.Completion](observe.Denied) }},
	}
	for n := range wholeSteps {
		c := completed(t)
		c.until(n)
		c.rest()
		w := c.read()
		w.Attempt = observe.Attempt{}
		due := teardown.Decide(w).Step.Do
		for name, change := range unknowns {
			tried := w
			change(&tried)
			if v := teardown.Decide(tried); v.Step.Do != verdict.None || v.Reason != "EvidenceUnavailable" {
				t.Errorf("%s unknown at %s: %s, step %q", name, due, outcome(v), v.Step.Do)
			}
		}
		for _, l := range later {
			if slices.Index(teardown.Actions(), due) < slices.Index(teardown.Actions(), verdict.Action(l.from)) || due == teardown.RemoveFinalizer {
				continue
			}
			tried := w
			l.to(&tried)
			v := teardown.Decide(tried)
			if l.name == "KeyExpires" && due != teardown.ExpireKey {
				v.Step = verdict.Step{} // asked again, and blocked if that is not answered
			}
			if v.Step.Do != verdict.None || v.Reason != "EvidenceUnavailable" && v.Reason != "TeardownBlocked" {
				t.Errorf("%s unknown at %s: %s, step %q", l.name, due, outcome(v), v.Step.Do)
			}
		}
	}
}

// Without a rendering nothing proves the nine of an attempt: where that is for want
// of an answer nothing goes, and where the spec is refused they stay.
//
// REQ: TD-04, LC-06
func TestNotRendered(t *testing.T) {
	c := attempted(t)
	c.until(1)
	w := c.read()
	for i := range w.Nine {
		m, _ := w.Nine[i].Get()
		m.Result = verify.Result{}
		w.Nine[i] = observe.Known(m)
	}
	if v := teardown.Decide(w); outcome(v) != "TeardownBlocked DeleteWorkload "+setName {
		t.Errorf("refused: %s", outcome(v))
	}
	w.Pods = observe.Known([]observe.Pod(nil))
	if v := teardown.Decide(w); v.Step.Do != teardown.DeleteNode {
		t.Errorf("refused, without a Pod: %s", outcome(v))
	}
	w.Render = observe.Unknown[observe.Render](observe.Denied)
	if v := teardown.Decide(w); v.Step.Do != verdict.None || outcome(v) != "EvidenceUnavailable  TailnetEgress/"+namespace {
		t.Errorf("unknown: %s", outcome(v))
	}
}

// What a pass has to ask for beside the world of any decision.
func TestQuestions(t *testing.T) {
	if _, ok := teardown.Key(teardown.World{}); ok || teardown.Names(teardown.World{}) != nil {
		t.Error("something to ask about no gateway")
	}
	if _, ok := teardown.Witness(teardown.World{}); ok {
		t.Error("a node of no gateway")
	}
	w := completed(t).read()
	if id, ok := teardown.Key(w); !ok || id != "5" {
		t.Errorf("key %q", id)
	}
	names := teardown.Names(w)
	if len(names) != 9 || names[0].String() != setName || names[1].Name != "lab-gw-coredns" {
		t.Errorf("%v", names)
	}
	state, _ := w.State.Get()
	for _, row := range []struct {
		device, status string
		want           node.ID
	}{{"8", "7", "8"}, {"", "7", "7"}, {"", "07", ""}, {"", "", ""}} {
		state.Identity.Device = node.ID(row.device)
		w.State = observe.Known(state)
		g := gateway()
		g.Status.NodeID = row.status
		w.Gateway = observe.Known(g)
		if id, ok := teardown.Witness(w); id != row.want || ok != (row.want != "") {
			t.Errorf("%+v: %q", row, id)
		}
	}
}
