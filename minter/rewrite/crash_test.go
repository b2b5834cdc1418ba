package rewrite_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/rewrite"
	"tsunaro.io/gateway/minter/verdict"
)

// server is an API server, as far as the two receipts are concerned.
type server struct {
	*testing.T
	world        rewrite.World
	fresh, stage *observe.Completion
	serial       int
	steps        []verdict.Action
}

func newServer(t *testing.T) *server {
	s := &server{T: t, world: world(receipt.RuleV010), serial: 20}
	f, _ := s.world.Fresh.Get()
	s.fresh = &f
	return s
}

func (s *server) read() rewrite.World {
	w := s.world
	w.Fresh, w.Stage = fact(s.fresh), fact(s.stage)
	return w
}

func fact(c *observe.Completion) observe.Fact[observe.Completion] {
	if c == nil {
		return observe.Absent[observe.Completion]()
	}
	return observe.Known(*c)
}

// write does what a step says, or refuses.
func (s *server) write(step verdict.Step) {
	s.Helper()
	slot := &s.fresh
	if step.Object.String() == stageName {
		slot = &s.stage
	}
	switch step.Do {
	case rewrite.StageReceipt, rewrite.PromoteReceipt:
		if *slot == nil {
			s.serial++
			c, err := receipt.DecodeCompletion([]byte(step.Data["receipt.json"]))
			*slot = &observe.Completion{Object: observe.Object{
				UID: uid(s.serial), Revision: fmt.Sprint(s.serial), Labels: step.Labels, Immutable: step.Immutable,
			}, Receipt: c, Err: err}
		}
	case rewrite.DeleteReceipt, rewrite.DropStage:
		if *slot != nil && (*slot).UID == step.UID && (*slot).Revision == step.Revision {
			*slot = nil
		}
	default:
		s.Fatalf("no such step: %q", step.Do)
	}
	s.held()
}

// held: at no moment is there less than one receipt that says it all.
func (s *server) held() {
	s.Helper()
	whole := func(c *observe.Completion) bool { return c != nil && c.Err == nil && len(c.Receipt.Objects) == 9 }
	if !whole(s.fresh) && !whole(s.stage) {
		s.Fatalf("no receipt is left after %v", s.steps)
	}
}

// done: the receipt is under the present rule, and there is no stage.
func (s *server) done() bool {
	return s.stage == nil && s.fresh != nil && string(s.fresh.Receipt.Encode()) == wanted()
}

var wanted = sync.OnceValue(func() string {
	c, _ := world(receipt.CurrentRule).Fresh.Get()
	return string(c.Receipt.Encode())
})

// TestCrash kills the process before and after each write, and at every two: what
// is found alone is promoted.
//
// REQ: LC-17
func TestCrash(t *testing.T) {
	for first := range 5 {
		for second := range 6 {
			for _, lost := range []bool{false, true} { // the writes do not happen, or their answers are lost
				s := newServer(t)
				for i := range 20 {
					v, concerned := rewrite.Decide(s.read())
					if !concerned {
						break
					}
					spoken(t, v)
					if v.Step.Do == verdict.None {
						t.Fatalf("stopped: %+v", v)
					}
					s.steps = append(s.steps, v.Step.Do)
					if !lost && (i == first || i == second) {
						continue
					}
					s.write(v.Step)
				}
				if !s.done() || !slices.Equal(slices.Compact(slices.Clone(s.steps)), rewrite.Actions()) {
					t.Errorf("killed at %d and %d, lost %v: %v", first, second, lost, s.steps)
				}
			}
		}
	}
}

// TestRace lets two processes rewrite at once, in every order of their reads and
// writes.
//
// REQ: LC-17
func TestRace(t *testing.T) {
	const turns = 10
	for order := range 1 << turns {
		s := newServer(t)
		var due [2]verdict.Step
		for turn := range turns {
			i := order >> turn & 1
			if due[i].Do != "" {
				s.write(due[i])
				due[i] = verdict.Step{}
				continue
			}
			v, _ := rewrite.Decide(s.read())
			due[i] = v.Step
		}
		for range 10 {
			v, concerned := rewrite.Decide(s.read())
			if !concerned {
				break
			}
			s.write(v.Step)
		}
		for _, late := range due {
			if late.Do != "" {
				s.write(late)
			}
		}
		for range 10 {
			if v, concerned := rewrite.Decide(s.read()); concerned {
				s.write(v.Step)
			}
		}
		if !s.done() {
			t.Fatalf("order %b: fresh %v, stage %v", order, s.fresh != nil, s.stage != nil)
		}
	}
}

// TestEveryPair holds the decision about every pair of receipts against what each
// step must never do without.
//
// REQ: LC-17
func TestEveryPair(t *testing.T) {
	former, today := world(receipt.RuleV010), world(receipt.CurrentRule)
	old, _ := former.Fresh.Get()
	now, _ := today.Fresh.Get()
	variants := func(n int) []observe.Fact[observe.Completion] {
		all := []observe.Fact[observe.Completion]{observe.Absent[observe.Completion](), observe.Unknown[observe.Completion](observe.Denied)}
		for _, c := range []observe.Completion{old, now} {
			c.UID, c.Revision = uid(n), fmt.Sprint(n)
			other, stranger, illegible, loose, going, wide := c, c, c, c, c, c
			other.Receipt.KeyID = "6"
			stranger.Labels = nil
			illegible.Err, illegible.Receipt = receipt.ErrCompletion, receipt.Completion{}
			loose.Immutable = false
			going.Deleting = true
			wide.Receipt.Gateway.UID = uid(9)
			for _, v := range []observe.Completion{c, other, stranger, illegible, loose, going, wide} {
				all = append(all, observe.Known(v))
			}
		}
		return all
	}
	count, pairs := map[verdict.Action]int{}, 0
	for _, f := range variants(6) {
		for _, s := range variants(7) {
			for _, drift := range []bool{false, true} {
				pairs++
				w := world(receipt.RuleV010)
				w.Fresh, w.Stage = f, s
				if drift {
					edit(&w.Nine[8], func(m *observe.Member) { m.Digest = now.Receipt.Objects[0].Digest })
					w.Former[8] = w.Former[0]
				}
				v, _ := rewrite.Decide(w)
				count[v.Step.Do]++
				fresh, _ := f.Get()
				stage, _ := s.Get()
				good := func(c observe.Completion, like observe.Completion) bool {
					return c.Labels != nil && c.Err == nil && c.Immutable && string(c.Receipt.Encode()) == string(like.Receipt.Encode())
				}
				ok := true
				switch v.Step.Do {
				case rewrite.StageReceipt: // another key would not rest on the auth receipt
					ok = good(fresh, old) && s.Absent() && !drift
				case rewrite.DeleteReceipt:
					ok = good(fresh, old) && good(stage, now) && !stage.Deleting && !drift
				case rewrite.PromoteReceipt:
					ok = f.Absent() && good(stage, now) && !stage.Deleting && !drift
				case rewrite.DropStage:
					ok = good(fresh, fresh) && fresh.Receipt.Rule == receipt.CurrentRule && good(stage, fresh)
				}
				if !ok {
					t.Errorf("%s with %+v and %+v, drift %v", v.Step.Do, f, s, drift)
				}
			}
		}
	}
	for _, a := range rewrite.Actions() {
		if count[a] == 0 {
			t.Errorf("%s is never due in %d pairs", a, pairs)
		}
	}
}
