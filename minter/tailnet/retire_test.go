package tailnet

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/rules"
)

func leaving(w *World) {
	w.Tailnet.DeletionTimestamp = &metav1.Time{Time: start.Add(-2 * time.Hour)}
	w.Leaving = true
}

// gaveUp is a memory of Headscale being asked in vain.
func gaveUp(count int) func(*World) {
	return func(w *World) {
		w.Memory.Failure = Failure{Count: count, At: w.Now.Add(-time.Hour), Step: Expire, Problem: NoConnection}
	}
}

func each(changes ...func(*World)) func(*World) {
	return func(w *World) {
		for _, c := range changes {
			c(w)
		}
	}
}

func answered(a Answer) func(*World) { return func(w *World) { w.Answer = a } }

// What is due for the key of a Tailnet that nothing needs any more, and whether the
// Tailnet stays for it.
//
// REQ: TD-07, MT-06, MT-08
func TestRetire(t *testing.T) {
	down := answered(Answer{Reply: Failing, Problem: NoConnection})
	for _, row := range []struct {
		why    string
		change func(*World)
		step   Action
		prefix string
		stay   bool
	}{
		{"a working key is ended", func(*World) {}, Expire, "first", true},
		{"those before it come first", func(w *World) {
			w.Secret = secretWith(firstKey, full, "older")
			w.Answer = accepts(userListed, listed("4", "older-secretbytes", full), listed("5", firstKey, full))
		}, Expire, "older", true},
		{"also one in hand", func(w *World) { *w = holding(*w) }, Expire, "second", true},
		{"but not what has expired", func(w *World) { w.Secret = secretWith(firstKey, full, "older") }, Expire, "first", true},
		{"nor the user's key", func(w *World) { w.Secret = secretWith(firstKey, full, "user") }, Expire, "first", true},
		{"also where it is stored", func(w *World) { w.Secret = secretWith(userKey, full) }, Delete, "", true},
		{"an ended key's Secret is deleted", answered(Answer{Reply: Rejected}), Delete, "", true},
		{"also where Headscale takes it a while longer", func(w *World) { w.Memory.Ended = []string{"first"} }, Delete, "", true},
		{"and what holds no key", func(w *World) { w.Secret, w.Answer = secretWith("", full), Answer{} }, Delete, "", true},
		{"a deletion that failed waits", each(answered(Answer{Reply: Rejected}), failing(Failure{Step: Delete})), None, "", true},
		{"without the Secret it is done", func(w *World) { w.Secret, w.Answer = observe.Absent[Secret](), Answer{} }, None, "", false},
		{"one that cannot be read is waited for", func(w *World) { w.Secret, w.Answer = observe.Unknown[Secret](observe.Denied), Answer{} }, None, "", true},
		{"somebody else's stays", func(w *World) {
			s, _ := w.Secret.Get()
			s.Labels = nil
			w.Secret = observe.Known(s)
		}, None, "", false},
		{"so does the bootstrap key of that name", func(w *World) { w.Tailnet.Spec.BootstrapSecretRef.Name = "home-apikey" }, None, "", false},

		// Headscale is tried, and not waited for.
		{"no answer", down, Expire, "first", true},
		{"no answer, a moment ago", each(down, failing(Failure{Step: Expire})), None, "", true},
		{"no answer, twice", each(down, gaveUp(2)), Expire, "first", true},
		{"no answer, three times", each(down, gaveUp(3)), Delete, "", true},
		{"no answer, three times, but before the deletion", each(down, gaveUp(3), func(w *World) { w.Tailnet.DeletionTimestamp.Time = start }), Expire, "first", true},
		{"three failures of another kind", each(down, gaveUp(3), func(w *World) { w.Memory.Failure.Step = Mint }), Expire, "first", true},
		{"the CA bundle is gone", func(w *World) { w.CABundle, w.Answer = observe.Absent[string](), Answer{} }, Delete, "", true},
		{"the CA bundle cannot be read", func(w *World) { w.CABundle, w.Answer = observe.Unknown[string](observe.Unreachable), Answer{} }, None, "", true},
		{"the bootstrap key is gone", func(w *World) { w.Bootstrap = observe.Absent[Bootstrap]() }, Expire, "first", true},
		{"the bootstrap key cannot be read", func(w *World) { w.Bootstrap = observe.Unknown[Bootstrap](observe.Unreachable) }, None, "", true},
		{"the spec is refused", func(w *World) { // of which nothing else is read
			*w = World{Now: w.Now, Tailnet: w.Tailnet, Secret: w.Secret, Refused: rules.Refusal{{Rule: "url", Path: "spec.controlURL"}}}
			leaving(w)
		}, Delete, "", true},
	} {
		w := current()
		leaving(&w)
		row.change(&w)
		d := Decide(w)
		if d.Step.Do != row.step || d.Step.Prefix != row.prefix || d.Stay != row.stay || d.Stay && d.Again != soon {
			t.Errorf("%s: %s %q, stay %v, again after %s", row.why, d.Step.Do, d.Step.Prefix, d.Stay, d.Again)
		}
		if d.Step.Do == Delete && (d.Step.Secret.Name != "home-apikey" || d.Step.Secret.UID != "secret-uid" || d.Step.Secret.ResourceVersion != "7") {
			t.Errorf("%s: deletes %+v", row.why, d.Step.Secret.ObjectMeta)
		}
	}
}

// Any two faults on the way out: the key is ended, its Secret gone, and nobody
// else's key is touched.
//
// REQ: TD-07, MT-08
func TestRetireFaults(t *testing.T) {
	for name, begin := range beginnings {
		for first := range 5 {
			for second := first; second < 5; second++ {
				for f := none; f < faults; f++ {
					for g := none; g < faults; g++ {
						s, m := begin(t), Memory{}
						s.settle(t, &m)
						lost := s.live()
						s.leaving = true
						s.retires(t, &m, map[int]fault{first: f, second: g})
						s.untouched(t)
						if live := s.live(); s.secret != nil || len(live) >= len(lost) || len(live) > 1 {
							t.Fatalf("%s: %v are left of %v: %s", name, live, lost, strings.Join(s.log, " "))
						}
					}
				}
			}
		}
	}
}

// A Headscale that is down for good holds a Tailnet for a few minutes.
//
// REQ: TD-07
func TestRetireWithoutHeadscale(t *testing.T) {
	s, m := newSimulation(), Memory{}
	s.settle(t, &m)
	s.now = s.now.Add(day)
	from := s.now
	s.leaving, s.down = true, true
	s.retires(t, &m, nil)
	if took := s.now.Sub(from); s.secret != nil || took > 5*time.Minute || took < 30*time.Second {
		t.Errorf("after %s the Secret is %v: %s", took, s.secret, strings.Join(s.log, " "))
	}
	s.now = s.now.Add(Lifetime)
	if live := s.live(); len(live) > 0 {
		t.Errorf("a month later %v work", live)
	}
}

// retires goes on until the Tailnet may go.
func (s *simulation) retires(t *testing.T, m *Memory, plan map[int]fault) {
	t.Helper()
	for i, looks := 0, 0; Decide(s.world(*m)).Stay; looks++ {
		if looks > 100 {
			t.Fatalf("it does not end: %s", strings.Join(s.log, " "))
		}
		if s.pass(m, plan[i]) {
			i++
		} else {
			s.now = s.now.Add(soon)
		}
	}
}

// A key that nobody has was in hand when its process ended, or its answer was lost:
// no list tells whose it is.
func TestRetireLeavesWhatNobodyHas(t *testing.T) {
	s := newSimulation()
	s.settle(t, new(Memory))
	s.add("lost-secretbytes", s.now.Add(Lifetime))
	s.leaving = true
	s.retires(t, &Memory{Minted: Minted{Key: sealed.New("hand-secretbytes"), Prefix: "hand"}}, nil)
	if live := s.live(); len(live) != 1 || live[0] != "lost-secretbytes" {
		t.Errorf("%v are left", live)
	}
}
