package tailnet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api"
)

// simulation is an API server and a Headscale, and the processes that run on them
// one after another or at the same time. A process is its Memory.
type simulation struct {
	now    time.Time
	secret *corev1.Secret
	writes int
	keys   []*simulated // the user's first, then one that is nobody's business
	log    []string

	leaving bool // the Tailnet goes
	down    bool // Headscale does not answer
}

type simulated struct {
	id      node.ID
	key     string
	expires time.Time
}

func newSimulation() *simulation {
	s := &simulation{now: start}
	s.add(userKey, start.Add(400*day))
	s.add("other-secretbytes", start.Add(400*day))
	return s
}

func (s *simulation) add(key string, expires time.Time) {
	s.keys = append(s.keys, &simulated{node.ID(strconv.Itoa(len(s.keys) + 1)), key, expires})
}

func (s *simulation) answer(key string) Answer {
	if s.down {
		return Answer{Reply: Failing, Problem: NoConnection}
	}
	if !slices.ContainsFunc(s.keys, func(k *simulated) bool { return k.key == key && s.now.Before(k.expires) }) {
		return Answer{Reply: Rejected}
	}
	a := Answer{Reply: Accepted}
	for _, k := range s.keys {
		a.Keys = append(a.Keys, listed(k.id, k.key, k.expires))
	}
	return a
}

func (s *simulation) stored() string {
	if s.secret == nil {
		return ""
	}
	return string(s.secret.Data[api.WorkingKeySecretKey])
}

func (s *simulation) world(m Memory) World {
	w := current()
	w.Now, w.Memory, w.Secret, w.Answer = s.now, m, observe.Absent[Secret](), Answer{}
	if w.Leaving = s.leaving; w.Leaving {
		deleted(&w)
	}
	if s.secret != nil {
		live := SecretOf(s.secret.DeepCopy())
		live.Prefix = prefixOf(s.stored())
		w.Secret, w.Answer = observe.Known(live), s.answer(s.stored())
	}
	if !m.Minted.Key.Empty() {
		w.Proof = s.answer(string(m.Minted.Key.Open()))
	}
	return w
}

// act carries a step out.
func (s *simulation) act(step Step) Result {
	switch step.Do {
	case Mint:
		key := fmt.Sprintf("minted%d-secretbytes", len(s.keys))
		s.add(key, step.Expires)
		return Result{Minted: Minted{Key: sealed.New(key), Prefix: prefixOf(key)}}
	case Store:
		if (s.secret == nil) != (step.Secret.ResourceVersion == "") || s.secret != nil && s.secret.ResourceVersion != step.Secret.ResourceVersion {
			return Result{Outcome: Raced}
		}
		s.secret = step.Secret.DeepCopy()
		s.writes++
		s.secret.ResourceVersion = strconv.Itoa(s.writes)
	case Delete:
		if s.secret == nil || s.secret.UID != step.Secret.UID || s.secret.ResourceVersion != step.Secret.ResourceVersion {
			return Result{Outcome: Raced}
		}
		s.secret = nil
	case Expire:
		switch s.answer(s.stored()).Reply {
		case Rejected:
			return Result{Outcome: Denied}
		case Failing:
			return Result{Outcome: Failed, Problem: NoConnection}
		}
		for _, k := range s.keys {
			if prefixOf(k.key) == step.Prefix {
				k.expires = s.now
			}
		}
	}
	return Result{}
}

// fault is what happens to one step.
type fault uint8

const (
	none        fault = iota
	crashBefore       // the process ends before the step
	crashAfter        // and after it, before it could know
	lostDone          // the answer is lost, and the step was done
	lostUndone        // the answer is lost, and it was not
	refused           // the answer is no
	faults
)

// pass is one step of a process, or false where none is due.
func (s *simulation) pass(m *Memory, f fault) bool {
	w := s.world(*m)
	d := Decide(w)
	if d.Step.Do == None {
		return false
	}
	s.log = append(s.log, fmt.Sprintf("%s/%d", d.Step.Do, f))
	result := Result{}
	switch f {
	case none, crashAfter:
		result = s.act(d.Step)
	case lostDone:
		if result = s.act(d.Step); result.Outcome == Done {
			result = Result{Outcome: Lost, Problem: NoConnection}
		}
	case lostUndone:
		result = Result{Outcome: Lost, Problem: NoConnection}
	case refused:
		result = Result{Outcome: Failed, Problem: Errs}
	}
	if f == crashBefore || f == crashAfter {
		*m = Memory{}
	} else {
		*m = After(w, d.Step, result)
	}
	return true
}

// live are the keys that work, but for the two that were there before.
func (s *simulation) live() (keys []string) {
	for _, k := range s.keys[2:] {
		if s.now.Before(k.expires) {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// settle lets processes go on until nothing is due for an hour.
func (s *simulation) settle(t *testing.T, processes ...*Memory) {
	t.Helper()
	for range 200 {
		due := false
		for _, m := range processes {
			due = s.pass(m, none) || due
		}
		if due {
			continue
		}
		if r := Decide(s.world(*processes[0])).Report; r.Ready.Reason == api.ReasonTailnetReady && r.APIKey.Reason == api.ReasonKeyCurrent {
			s.now = s.now.Add(mintPeak) // what waits is due now
			if !slices.ContainsFunc(processes, func(m *Memory) bool { return Decide(s.world(*m)).Step.Do != None }) {
				return
			}
		}
		s.now = s.now.Add(soon)
	}
	t.Fatalf("it does not come to rest: %s", strings.Join(s.log, " "))
}

// untouched checks that nobody else's key was ended.
func (s *simulation) untouched(t *testing.T) {
	t.Helper()
	for _, k := range s.keys[:2] {
		if !k.expires.Equal(start.Add(400 * day)) {
			t.Fatalf("%s was ended: %s", k.key, strings.Join(s.log, " "))
		}
	}
}

// Where a life begins.
var beginnings = map[string]func(*testing.T) *simulation{
	"fresh": func(*testing.T) *simulation { return newSimulation() },
	"due": func(t *testing.T) *simulation {
		s := newSimulation()
		s.settle(t, new(Memory))
		s.now = s.now.Add(Lifetime - renewal)
		return s
	},
	"ended at Headscale": func(t *testing.T) *simulation {
		s := newSimulation()
		s.settle(t, new(Memory))
		s.now = s.now.Add(day)
		s.keys[2].expires = s.now
		return s
	},
	"Secret deleted": func(t *testing.T) *simulation {
		s := newSimulation()
		s.settle(t, new(Memory))
		s.now, s.secret = s.now.Add(day), nil
		return s
	},
}

// Without a fault, one key more is made, and one works.
func TestWithoutFaults(t *testing.T) {
	for name, begin := range beginnings {
		s, m := begin(t), Memory{}
		before := len(s.keys)
		s.settle(t, &m)
		lost := 0
		if name == "Secret deleted" {
			lost = 1 // whose it was cannot be told from a list
		}
		if live := s.live(); len(s.keys) != before+1 || len(live) != 1+lost || !slices.Contains(live, s.stored()) {
			t.Errorf("%s: %v of %d: %s", name, live, len(s.keys), strings.Join(s.log, " "))
		}
		s.untouched(t)
	}
}

// Any two faults at any two steps: it comes to rest with a working key, the present
// key works as long as no other is stored, each fault leaves at most one key that
// nobody has, and a month later none of those is left.
//
// REQ: MT-06, MT-08
func TestFaults(t *testing.T) {
	const longest = 6
	runs := 0
	for name, begin := range beginnings {
		for first := range longest {
			for second := first; second < longest; second++ {
				for f := none; f < faults; f++ {
					for g := none; g < faults; g++ {
						plan := map[int]fault{first: f}
						plan[second] = g
						withFaults(t, name, begin(t), plan)
						runs++
					}
				}
			}
		}
	}
	if runs < 3000 {
		t.Errorf("only %d runs", runs)
	}
}

func withFaults(t *testing.T, name string, s *simulation, plan map[int]fault) {
	t.Helper()
	var m Memory
	before, worked := len(s.keys), s.answer(s.stored()).Reply == Accepted
	lost := 0
	if name == "Secret deleted" {
		lost = 1
	}
	for i, looks := 0, 0; i < 8 && looks < 30; looks++ {
		if s.pass(&m, plan[i]) {
			i++
		} else {
			s.now = s.now.Add(time.Minute)
		}
		if worked && s.answer(s.stored()).Reply != Accepted {
			t.Fatalf("%s %v: the minter locked itself out: %s", name, plan, strings.Join(s.log, " "))
		}
	}
	s.settle(t, &m)
	s.untouched(t)
	live := s.live()
	if made := len(s.keys) - before; made > 1+len(plan) {
		t.Fatalf("%s %v: %d keys were made: %s", name, plan, made, strings.Join(s.log, " "))
	}
	if !slices.Contains(live, s.stored()) || len(live) > 1+lost+len(plan) {
		t.Fatalf("%s %v: %v work, %q is stored: %s", name, plan, live, s.stored(), strings.Join(s.log, " "))
	}
	s.now = s.now.Add(Lifetime - renewal)
	s.settle(t, &m)
	s.now = s.now.Add(renewal)
	s.settle(t, &m)
	if live := s.live(); len(live) != 1 || live[0] != s.stored() {
		t.Fatalf("%s %v: a month later %v work: %s", name, plan, live, strings.Join(s.log, " "))
	}
}

// Two processes at the same time, with their steps in any order: one key is left,
// since the one who loses ends its own.
func TestTwoProcesses(t *testing.T) {
	for name, begin := range beginnings {
		for seed := range uint64(300) {
			s := begin(t)
			lost := 0
			if name == "Secret deleted" {
				lost = 1
			}
			random := rand.New(rand.NewPCG(seed, 0))
			processes := []*Memory{{}, {}}
			for range 12 {
				s.pass(processes[random.IntN(2)], none)
			}
			s.settle(t, processes...)
			s.untouched(t)
			if live := s.live(); len(live) != 1+lost || !slices.Contains(live, s.stored()) {
				t.Fatalf("%s, seed %d: %v work, %q is stored: %s", name, seed, live, s.stored(), strings.Join(s.log, " "))
			}
		}
	}
}

// A Headscale that loses every answer to a mint is asked less and less often.
//
// REQ: MT-04, MT-06
func TestMintsAreRare(t *testing.T) {
	s, m := newSimulation(), Memory{}
	for s.now.Before(start.Add(day)) {
		s.pass(&m, lostDone)
		s.now = s.now.Add(soon)
	}
	if made := len(s.keys) - 2; made < 20 || made > 40 {
		t.Errorf("%d keys in a day", made)
	}
}
