package teardown

import (
	"maps"
	"slices"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/verdict"
)

// The actions, in the order of TD-02. All but AwaitPods can be a Step's; each
// deletes the object by its UID.
const (
	ReadReceipt       verdict.Action = "ReadReceipt" // nothing to write: what a receipt must be before anything goes
	CloseEntry                       = verdict.CloseEntry
	DeleteWorkload    verdict.Action = "DeleteWorkload"
	AwaitPods         verdict.Action = "AwaitPods"
	DeleteNode        verdict.Action = "DeleteNode" // at Headscale
	ExpireKey                        = verdict.ExpireKey
	DeleteChild       verdict.Action = "DeleteChild"
	DeleteAuth        verdict.Action = "DeleteAuth"
	DeleteState       verdict.Action = "DeleteStateSecret"
	DeleteAuthReceipt verdict.Action = "DeleteAuthReceipt"
	DeleteFresh       verdict.Action = "DeleteFresh"
	DeleteStage       verdict.Action = "DeleteStage"
	RemoveFinalizer                  = verdict.RemoveFinalizer
)

// Actions returns every action that Decide may ask for, in their order.
func Actions() []verdict.Action { return slices.Clone(actions) }

var actions = []verdict.Action{
	CloseEntry, DeleteWorkload, DeleteNode, ExpireKey, DeleteChild,
	DeleteAuth, DeleteState, DeleteAuthReceipt, DeleteFresh, DeleteStage, RemoveFinalizer,
}

// Deletes reports whether an action deletes its Step's object at the API server,
// by the Step's UID.
func Deletes(a verdict.Action) bool {
	switch a {
	case DeleteWorkload, DeleteChild, DeleteAuth, DeleteState, DeleteAuthReceipt, DeleteFresh, DeleteStage:
		return true
	}
	return false
}

// Verdict is what is due for a gateway on its way out. Its Reason is one of the
// table's, and its Step is carried out as any other; what came of it belongs into
// the Attempt by verdict.After.
type Verdict struct {
	verdict.Verdict

	// Node is what the step DeleteNode deletes at Headscale. It is Done where
	// Headscale deleted it, or where both witnesses say that it is gone.
	Node node.ID
}

// Failed is what is true when the step of a verdict did not succeed: the teardown
// is blocked at it (TD-03). The registry and the finalizer are tried again, for
// others write there too, and so is what the API server gave no answer about: the
// next read tells. Of Headscale whatever is no success blocks.
func Failed(v Verdict, o verdict.Outcome) Verdict {
	switch v.Step.Do {
	case CloseEntry, RemoveFinalizer:
	case DeleteNode, ExpireKey:
		v.Reason = blocked
	default:
		if o == verdict.NotDone {
			v.Reason = blocked
		}
	}
	if v.Reason == blocked {
		v.Values = maps.Clone(v.Values)
		v.lead(v.Step.Object)
	}
	v.Step, v.Node = verdict.Step{}, ""
	return v
}
