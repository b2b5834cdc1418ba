package verify

import (
	"time"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// State is what one of the nine was found to be.
type State uint8

// The states.
const (
	Missing     State = iota + 1 // it is not there
	Terminating                  // it is being deleted: what else it is will not last
	WrongUID                     // a UID label is not the binding's
	Older                        // it was created before the state Secret
	Different                    // a pinned field is not as rendered, or not as recorded
	Behind                       // only mutable fields are not as rendered: the engine has not synced
	Same                         // it is as rendered, or as recorded
	Replaced                     // it is not the object that was recorded
)

// Result is the verdict on one object.
type Result struct {
	Object rules.Object
	State  State
	Path   string // of the first label or field that decided; empty for none

	// Differences are all that Compare tells; none of an object that is Missing.
	Differences []Difference
}

// Inspect judges an object of an attempt that is not complete (LC-16); live is nil
// if it is not there. stateCreated is the creationTimestamp of the state Secret.
// The state is one of all but Replaced, the first that applies.
func Inspect(want objects.Object, live Live, stateCreated time.Time) Result {
	r := Result{Object: want.Object, State: Missing}
	if live == nil {
		return r
	}
	r.Differences = Compare(want, live)
	r.State, r.Path = judged(r.Differences)
	label, wrong := otherUID(typed(want), live)
	switch {
	case live.GetDeletionTimestamp() != nil:
		r.State, r.Path = Terminating, ""
	case wrong:
		r.State, r.Path = WrongUID, "metadata.labels"+step(label)
	case live.GetCreationTimestamp().Time.Before(stateCreated):
		r.State, r.Path = Older, "metadata.creationTimestamp"
	}
	return r
}

// judged returns the state that the differences amount to, with the first path.
func judged(differences []Difference) (State, string) {
	if len(differences) == 0 {
		return Same, ""
	}
	first := differences[0]
	if first.Class == digest.Mutable {
		return Behind, first.Path
	}
	return Different, first.Path
}

// otherUID returns the first of the two labels in which live is not bound as want
// is.
func otherUID(want, live Live) (label string, other bool) {
	for _, label := range []string{api.LabelGatewayUID, api.LabelStateUID} {
		if live.GetLabels()[label] != want.GetLabels()[label] {
			return label, true
		}
	}
	return "", false
}

// Retained judges an object of a completed gateway by its receipt (LC-15); live
// is nil if it is not there. The state is Missing, Replaced, Different or Same,
// the first that applies. Where it differs, Compare tells.
func Retained(recorded receipt.Object, live Live) State {
	if live == nil {
		return Missing
	}
	if string(live.GetUID()) != recorded.UID {
		return Replaced
	}
	if d, err := Digest(live); err != nil || d != recorded.Digest {
		return Different
	}
	return Same
}
