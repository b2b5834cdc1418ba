package tailnet

import (
	"slices"
	"time"

	"tsunaro.io/gateway/minter/sealed"
)

// Memory is what this process knows about a Tailnet that nothing durable tells.
// Losing it costs at most one key that nobody has, which expires by itself.
type Memory struct {
	UID    string // of the Tailnet
	Minted Minted // a key that is not in the Secret yet

	// Mints counts the requests within a day of each other that may each have left
	// a key at Headscale.
	Mints int
	Last  time.Time // the latest of them

	Failure Failure
	Ended   []string // prefixes of keys that Headscale was told to expire
}

// Minted is a key as it was made.
type Minted struct {
	Key    sealed.Bytes // empty: there is none
	Prefix string
}

// Failure is what stands in the way since the last step that was done.
type Failure struct {
	Count   int // 0: nothing
	At      time.Time
	Step    Action
	Problem Problem      // where Headscale is in the way
	Refused sealed.Bytes // the bootstrap key that Headscale refuses
}

// Result is what came of a step.
type Result struct {
	Outcome Outcome
	Problem Problem // where Headscale did not do it
	Minted  Minted  // of Mint
}

// Outcome is what is known after a step.
type Outcome uint8

// The outcomes.
const (
	Done   Outcome = iota
	Denied         // Headscale refuses the key that asked; nothing was done
	Failed         // nothing was done
	Lost           // it may have been done, and there is no answer
	Raced          // the object has another revision by now: look again
)

// After is the memory after a step.
func After(w World, s Step, r Result) Memory {
	m := w.Memory
	m.UID = string(w.Tailnet.UID)
	if s.Do == Mint && (r.Outcome == Done || r.Outcome == Lost) {
		if w.Now.Sub(m.Last) > day {
			m.Mints = 0
		}
		m.Mints, m.Last = m.Mints+1, w.Now
	}
	switch {
	case s.Do == Discard && s.Fickle:
		m.Minted, m.Failure = Minted{}, m.fail(w, s, Result{Problem: Fickle})
	case r.Outcome == Raced:
	case r.Outcome != Done:
		m.Failure = m.fail(w, s, r)
	default:
		m.Failure = Failure{}
		switch s.Do {
		case Mint:
			m.Minted = r.Minted
		case Store, Discard:
			m.Minted = Minted{}
		case Expire:
			m.Ended = append(slices.Clone(m.Ended), s.Prefix)
			if s.Prefix == m.Minted.Prefix {
				m.Minted = Minted{}
			}
		}
	}
	return m
}

func (m Memory) fail(w World, s Step, r Result) Failure {
	f := Failure{Count: m.Failure.Count + 1, At: w.Now, Step: s.Do, Problem: r.Problem}
	if r.Outcome == Denied && s.Do == Mint {
		b, _ := w.Bootstrap.Get()
		f.Refused = b.Key
	}
	return f
}

const day = 24 * time.Hour

// Pauses before something is tried again, doubled each time. Each mint may leave a
// key behind, so they become rare; other failures cost nothing.
const (
	shortPause  = 15 * time.Second
	failurePeak = time.Minute
	mintPeak    = time.Hour
)

// next is the earliest time of the next try of anything that failed, or of a mint.
func (m Memory) next(b Bootstrap, mint bool) time.Time {
	var at time.Time
	if f := m.Failure; f.Count > 0 && (f.Refused.Empty() || f.Refused.Equal(b.Key)) {
		at = f.At.Add(pause(f.Count, failurePeak))
	}
	if mint && m.Mints > 0 {
		if after := m.Last.Add(pause(m.Mints, mintPeak)); after.After(at) {
			at = after
		}
	}
	return at
}

func pause(n int, peak time.Duration) time.Duration {
	d := shortPause
	for range n - 1 {
		if d *= 2; d >= peak {
			return peak
		}
	}
	return d
}
