package livedns

import (
	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
)

// World is what a decision about a live zone rests on, read in one pass and
// uncached: what any decision about the gateway does, and GW-coredns.
type World struct {
	observe.World

	// Live is GW-coredns, whole. It is read after the gateway, whose status says how
	// far the serial was.
	Live observe.Fact[*corev1.ConfigMap]

	// Conflicts is how many swaps of this pass came too late.
	Conflicts int
}

// Attempts is how often a pass tries to swap before it reports the conflict (DL-02).
const Attempts = 3

// Verdict is what is due for a live zone, and what is true about it.
type Verdict struct {
	// Swap replaces the live object of its UID and resourceVersion; nil if there is
	// nothing to write.
	Swap *corev1.ConfigMap

	Reason string            // of the condition DNSReady, one of the table's
	Values map[string]string // for the text of that reason

	// Serial is that of the live zone and Names how many it holds, the extra zones'
	// too, where it is in sync; both are 0 otherwise.
	Serial uint32
	Names  int
}

// Outcome is what came of a swap.
type Outcome uint8

// The outcomes.
const (
	Lost     Outcome = iota // no answer: it may have happened, and the next read tells
	Done                    // it happened
	Conflict                // the object has another revision by now, or is gone
	Refused                 // it is not allowed
)

// After is how many conflicts a pass has had after a swap. The next pass begins
// with none.
func After(conflicts int, o Outcome) int {
	switch o {
	case Conflict:
		return conflicts + 1
	case Done:
		return 0
	}
	return conflicts
}

// Failed is what is true when a swap neither happened nor is to be tried again in
// this pass.
func Failed(v Verdict, o Outcome) Verdict {
	f := Verdict{Reason: api.ReasonEvidenceUnavailable, Values: map[string]string{"object": v.Values["object"]}}
	if o == Refused {
		f.Reason, f.Values["problem"] = api.ReasonDNSUpdateBlocked, isForbidden
	}
	return f
}
