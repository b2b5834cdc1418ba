package teardown_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
)

// TestKilled lets every single write go wrong in every way, a killed process
// before and after it among them. It ends as if nothing had happened.
//
// REQ: TD-06
func TestKilled(t *testing.T) {
	for name, w := range worlds {
		for n := range w.steps {
			for f := lostAfter; f < faults; f++ {
				c := w.new(t)
				v := c.run(func(i int, _ teardown.Verdict) fault {
					if i == n {
						return f
					}
					return fine
				})
				if left := c.clean(); len(left) > 0 {
					t.Errorf("%s, %s/%d: %s, left %v", name, w.steps[n], f, outcome(v), left)
				}
				if kept := slices.Compact(c.steps); !slices.Equal(kept, w.steps) {
					t.Errorf("%s, %s/%d: %v", name, w.steps[n], f, kept)
				}
			}
		}
	}
}

// TestKilledTwice lets every two writes go wrong.
//
// REQ: TD-06
func TestKilledTwice(t *testing.T) {
	runs := 0
	for _, name := range []string{"complete", "attempted"} {
		w := worlds[name]
		for first := range w.steps {
			for second := first + 1; second <= len(w.steps); second++ {
				for _, f := range [][2]fault{{lostAfter, failed}, {failed, crashAfter}, {crashBefore, lostAfter}, {crashAfter, failed}} {
					runs++
					c := w.new(t)
					c.run(func(i int, _ teardown.Verdict) fault {
						switch i {
						case first:
							return f[0]
						case second:
							return f[1]
						}
						return fine
					})
					if left := c.clean(); len(left) > 0 {
						t.Fatalf("%s, %v at %d and %d: left %v after %v", name, f, first, second, left, c.steps)
					}
				}
			}
		}
	}
	if runs < 1000 {
		t.Errorf("%d runs", runs)
	}
}

// A write that never succeeds is the end of it: blocked at its step, with nothing
// gone that comes later. Only what others write too is not called blocked.
//
// REQ: TD-03
func TestRefused(t *testing.T) {
	for name, w := range worlds {
		for n, step := range w.steps {
			c := w.new(t)
			refuse := func(i int, _ teardown.Verdict) fault {
				if i >= n {
					return failed
				}
				return fine
			}
			v := c.run(refuse)
			want := "TeardownBlocked " + step
			if n == len(w.steps)-1 || step == "CloseEntry "+bindings {
				want = "Deleting " + step
			}
			if outcome(v) != want || len(c.gone) != n {
				t.Errorf("%s: %s, want %s: gone %v", name, outcome(v), want, c.gone)
			}
			if c.run(nil); len(c.clean()) > 0 {
				t.Errorf("%s, after %s: left %v", name, step, c.clean())
			}
		}
	}
}

// What a step says that has not succeeded, by what is known of it.
//
// REQ: TD-03 (B21, B25, B42)
func TestFailed(t *testing.T) {
	for n, step := range wholeSteps {
		c := completed(t)
		c.until(n)
		v := c.rest()
		for o, want := range map[verdict.Outcome]string{verdict.NotDone: "TeardownBlocked " + step, verdict.Lost: "Deleting " + step} {
			switch v.Step.Do {
			case teardown.CloseEntry, teardown.RemoveFinalizer:
				want = "Deleting " + step
			case teardown.DeleteNode, teardown.ExpireKey:
				want = "TeardownBlocked " + step
			}
			if f := teardown.Failed(v, o); outcome(f) != want || f.Step.Do != "" || f.Node != "" || !f.Teardown {
				t.Errorf("%s, outcome %d: %+v, want %s", step, o, f, want)
			}
		}
	}
}

// TestRace lets two processes tear down at the same time: each acts on what it
// read before the other's step.
//
// REQ: TD-06
func TestRace(t *testing.T) {
	for name, w := range worlds {
		for gap := range 4 {
			c := w.new(t)
			var old []teardown.Verdict
			for range 400 {
				if c.finished() {
					break
				}
				v := teardown.Decide(c.read())
				if old = append(old, v); len(old) > gap {
					if late := old[0]; late.Step.Do != "" {
						c.carryOut(late)
					}
					old = old[1:]
				}
				if v.Step.Do == "" {
					c.tick()
				}
			}
			if left := c.clean(); len(left) > 0 {
				t.Errorf("%s, %d behind: left %v", name, gap, left)
			}
			seen := map[string]int{}
			for _, g := range c.gone {
				if seen[g]++; seen[g] > 1 && g != "key 5" && g != "node 7" {
					t.Errorf("%s, %d behind: %s went twice", name, gap, g)
				}
			}
		}
	}
}

// conflicts are what may be wrong with an object under one of the gateway's names.
var conflicts = map[string]func(*object){
	"replaced": func(o *object) { o.UID = uid(90) },
	"foreign":  func(o *object) { o.UID, o.Labels = uid(91), map[string]string{} },
	"unlabelled": func(o *object) {
		o.Labels = map[string]string{"tsunaro.io/state-uid": uid(3)}
	},
	"of another gateway": func(o *object) {
		o.Labels = map[string]string{"tsunaro.io/gateway-uid": uid(92), "tsunaro.io/state-uid": uid(93)}
	},
}

// TestConflicts puts something else under each name. With a receipt the teardown
// is blocked at the object's own step, which the message names, and nothing goes
// that comes later. Removing the conflict, or taking back the consent, leads out.
//
// REQ: TD-01, TD-02, TD-03, TD-05 (B42)
func TestConflicts(t *testing.T) {
	for why, change := range conflicts {
		for n, step := range wholeSteps {
			var do, name string
			fmt.Sscan(step, &do, &name)
			if completed(t).objects[name] == nil || name == bindings {
				continue
			}
			want, at := "TeardownBlocked "+step, n
			switch {
			case name == freshName && why == "replaced": // whatever its UID, it says what it is
				continue
			case name == freshName: // the inventory comes before everything
				want, at = "TeardownBlocked ReadReceipt "+freshName, 0
			case why == "unlabelled" || why == "of another gateway":
				if name != recordName { // the recorded UID is what counts
					continue
				}
			}
			c := completed(t)
			change(c.objects[name])
			foreign := c.objects[name]
			if v := c.run(nil); outcome(v) != want || len(c.gone) != at || c.objects[name] != foreign {
				t.Errorf("%s %s: %s, want %s: gone %v", why, name, outcome(v), want, c.gone)
			}
			again := completedAs(t, c)
			delete(again.objects, name)
			if again.run(nil); len(again.clean()) > 0 {
				t.Errorf("%s %s removed: left %v", why, name, again.clean())
			}
			c.gateway.Spec.DeletionPolicy = "Retain"
			if c.run(nil); !c.finished() || len(c.gone) != at {
				t.Errorf("%s %s, and Retain: gone %v", why, name, c.gone)
			}
		}
	}
}

// completedAs is the same cluster, for another process.
func completedAs(t *testing.T, c *cluster) *cluster {
	next := *c
	next.TB, next.gateway, next.steps = t, c.gateway.DeepCopy(), nil
	next.objects = map[string]*object{}
	for name, o := range c.objects {
		copied := *o
		next.objects[name] = &copied
	}
	return &next
}

// TestOthersStay: without a receipt what is not provably of the attempt stays, and
// the rest goes.
//
// REQ: TD-04, TD-05
func TestOthersStay(t *testing.T) {
	of := maps.Clone(conflicts)
	of["drifted"] = func(o *object) { o.drift = verify.Different }
	of["older"] = func(o *object) { o.drift = verify.Older }
	delete(of, "replaced") // as rendered and with our labels it is of this attempt, whatever its UID
	for why, change := range of {
		for _, step := range partSteps[4:12] {
			var do, name string
			fmt.Sscan(step, &do, &name)
			c := attempted(t)
			change(c.objects[name])
			o := c.objects[name]
			v := c.run(nil)
			left := slices.DeleteFunc(c.clean(), func(s string) bool { return s == name })
			if c.objects[name] != o || len(left) > 0 || v.Reason != "" {
				t.Errorf("%s %s: %s, left %v", why, name, outcome(v), left)
			}
		}
	}
}

// The message of a conflict that somebody can remove has the command, also where a
// deletion was refused.
//
// REQ: TD-03
func TestCommands(t *testing.T) {
	want := map[string]string{
		setName: "kubectl delete statefulset lab-gw --namespace tsunaro-system", stateName: "kubectl delete secret lab-gw-state --namespace tsunaro-system",
		freshName: "kubectl delete configmap lab-gw-fresh --namespace tsunaro-system", "HeadscaleNode/7": "headscale nodes delete --force --identifier 7",
		"HeadscaleKey/5": "", bindings: "",
	}
	for n, step := range wholeSteps {
		var do, name string
		fmt.Sscan(step, &do, &name)
		command, ok := want[name]
		if !ok {
			continue
		}
		c := completed(t)
		c.until(n)
		v := c.rest()
		if got := teardown.Failed(v, verdict.NotDone).Values["command"]; got != command || v.Values["command"] != "" {
			t.Errorf("%s refused: %q, want %q", step, got, command)
		}
		if o := c.objects[name]; o != nil && name != bindings && name != freshName {
			conflicts["foreign"](o)
			if got := c.rest().Values["command"]; got != command {
				t.Errorf("%s is foreign: %q, want %q", name, got, command)
			}
		}
	}
}
