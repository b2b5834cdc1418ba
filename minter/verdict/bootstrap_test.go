package verdict_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/model"
)

func peers(p []model.Inputs) []model.Inputs { return p }

// process is a minter. fault, if there is one, says what becomes of a write.
type process struct {
	c       *cluster
	attempt observe.Attempt
	steps   []verdict.Action
	fault   func(n int, s verdict.Step) fault
}

// fault is what goes wrong with a write.
type fault uint8

const (
	fine        fault = iota
	lostAfter         // the write happens, its answer is lost
	lostBefore        // the write does not happen, and nobody says so
	failed            // the write is refused
	crashAfter        // the process dies when the write has happened
	crashBefore       // the process dies with the decision
	crashed           // the process dies having seen the answer
	faults
)

// step decides once and carries out what is due.
func (p *process) step() verdict.Verdict {
	v := verdict.Decide(p.c.read(p.attempt))
	if v.Evidence.Spent != "" {
		p.attempt.Spent = v.Evidence.Spent
	}
	if v.Step.Do == verdict.None {
		return v
	}
	what := fine
	if p.fault != nil {
		what = p.fault(len(p.steps), v.Step)
	}
	p.steps = append(p.steps, v.Step.Do)
	p.carryOut(v.Step, what)
	return v
}

func (p *process) carryOut(s verdict.Step, what fault) {
	r := verdict.Result{}
	switch what {
	case failed:
		r.Outcome = verdict.NotDone
	case lostBefore, crashBefore:
	default:
		r = p.c.carryOut(s)
	}
	switch what {
	case lostAfter, crashAfter:
		r = verdict.Result{}
	}
	p.attempt = verdict.After(p.attempt, string(p.c.gateway.UID), s, r)
	if what >= crashAfter {
		p.attempt = observe.Attempt{}
	}
}

// run lets the process and everybody else work until nothing moves any more; time
// passes where the verdict waits for it, at most until the given instant.
func (p *process) run(until time.Time) verdict.Verdict {
	p.c.Helper()
	for range 500 {
		v := p.step()
		if n := p.c.usable(); n > 1 {
			p.c.Fatalf("%d usable keys after %v", n, p.steps)
		}
		if v.Step.Do != verdict.None || p.c.tick() {
			continue
		}
		if v.Again.IsZero() || v.Again.After(until) {
			return v
		}
		if !v.Again.After(p.c.now) {
			p.c.Fatalf("waits for the past after %v: %+v", p.steps, v)
		}
		p.c.now = v.Again
	}
	p.c.Fatalf("does not come to rest: %v", p.steps)
	return verdict.Verdict{}
}

var later = start.Add(72 * time.Hour)

// bootstrapSteps are those of a bootstrap to which nothing happens.
var bootstrapSteps = []verdict.Action{
	verdict.CreateState, verdict.OpenEntry, verdict.SwapMinting, verdict.Mint, verdict.CreateAuth,
	verdict.CreateAuthReceipt, verdict.CreateFresh, verdict.SwapComplete, verdict.ExpireKey,
}

// REQ: LC-08, MT-09
func TestBootstrap(t *testing.T) {
	p := &process{c: newCluster(t)}
	v := p.run(later)
	if v.Reason != "FreshRuntimeReady" || !slices.Equal(p.steps, bootstrapSteps) {
		t.Errorf("%s after %v", v.Reason, p.steps)
	}
	if len(p.c.keys) != 1 || p.c.usable() != 0 || p.c.phase() != registry.Complete || !p.c.now.Equal(start) {
		t.Errorf("%d keys, %d usable, phase %q, at %v", len(p.c.keys), p.c.usable(), p.c.phase(), p.c.now)
	}
	if e := v.Evidence; !e.Completed || e.Node == nil || e.Node.ID != "1" || e.Pod == nil || e.Spent != "7" {
		t.Errorf("%+v", e)
	}
}

// The nine come first: as long as one is missing there is no key (LC-08).
//
// REQ: LC-08, LC-16
func TestMintLast(t *testing.T) {
	p := &process{c: newCluster(t)}
	p.c.engine = false
	if v := p.run(later); v.Reason != "AwaitingResources" || p.c.phase() != registry.Open {
		t.Errorf("without an engine: %s %v", v.Reason, p.steps)
	}
	p.c.apply()
	p.c.engine = true
	for range 8 {
		if v := p.step(); v.Step.Do != verdict.None || v.Reason != "Provisioning" && v.Reason != "AwaitingResources" {
			t.Fatalf("a part of the set: %s, step %q", v.Reason, v.Step.Do)
		}
		p.c.apply()
	}
	if v := p.run(later); v.Reason != "FreshRuntimeReady" {
		t.Errorf("%s %v", v.Reason, p.steps)
	}
}

// outcome is how a run ends: ready, or blocked on an object.
func outcome(v verdict.Verdict) string {
	if v.Reason == "FreshBlocked" {
		return v.Reason + " " + v.Values["object"]
	}
	return v.Reason
}

// TestOneFault lets every single write go wrong in every way. The attempt is taken
// up again, undone and repeated, or stays blocked on the one record that cannot be
// trusted; there is never a second key beside a usable one.
//
// REQ: LC-08, LC-10, LC-12, LC-14, LC-16, LC-22, MT-02, MT-04 (B45)
func TestOneFault(t *testing.T) {
	const blocked = "FreshBlocked Secret/tsunaro-system/lab-gw-auth"
	// The answer to the Create of GW-auth is nowhere but in the process that got it.
	want := func(a verdict.Action, f fault) string {
		switch {
		case a == verdict.CreateAuth && (f == lostAfter || f >= crashAfter && f != crashBefore):
			return blocked
		case a == verdict.CreateAuthReceipt && f == crashBefore:
			return blocked
		}
		return "FreshRuntimeReady"
	}
	// With what is asked at most once, a fault costs the time until the key expires.
	waits := func(a verdict.Action, f fault) bool {
		switch a {
		case verdict.SwapMinting:
			return f == lostAfter || f == crashAfter || f == crashed
		case verdict.Mint:
			return f != failed
		case verdict.CreateAuth:
			return f == crashBefore
		}
		return false
	}
	for n, action := range bootstrapSteps {
		for f := lostAfter; f < faults; f++ {
			t.Run(fmt.Sprintf("%s/%d", action, f), func(t *testing.T) {
				p := &process{c: newCluster(t), fault: func(i int, s verdict.Step) fault {
					if i == n {
						if s.Do != action {
							t.Fatalf("step %d is %s", i, s.Do)
						}
						return f
					}
					return fine
				}}
				if got := outcome(p.run(later)); got != want(action, f) {
					t.Errorf("%s, want %s: %v", got, want(action, f), p.steps)
				}
				if waited := p.c.now.Sub(start) >= 23*time.Hour; waited != waits(action, f) {
					t.Errorf("waited until %v: %v", p.c.now, p.steps)
				}
				if n := len(p.c.keys); n > 2 {
					t.Errorf("%d keys: %v", n, p.steps)
				}
			})
		}
	}
}
