//go:build lab && linux

package crash

import (
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/minter/tailnet"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/objects"
)

// way is how a bootstrap goes on under the next process, where a write was the last
// one that was done.
type way string

const (
	// goesOn: what is there proves how far it is. It ends Ready, with the same state
	// Secret.
	goesOn way = "goes on"
	// undone: nothing proves whose the state Secret is. It is deleted and another one
	// made, without anybody's help (LC-22).
	undone way = "is undone"
	// expires: a key may exist that nobody has. Nothing is touched until it has
	// expired; then the attempt is undone (MT-04, LC-22).
	expires way = "waits for an expiry"
	// byHand: GW-auth is there and nothing records it, so that somebody has to remove
	// it (MT-04), and, since a node has started with it, what that node left behind.
	byHand way = "waits for somebody"
)

// steps are the writes of a gateway's bootstrap, in order, as they were recorded
// (TestUndisturbed) and reviewed. None is the beginning.
var steps = []struct {
	write verdict.Action
	then  way
}{
	{verdict.None, goesOn},
	{verdict.CreateState, undone},
	{verdict.OpenEntry, goesOn},
	{verdict.SwapMinting, expires},
	{verdict.Mint, expires},
	{verdict.CreateAuth, byHand},
	{verdict.CreateAuthReceipt, goesOn},
	{verdict.CreateFresh, goesOn},
	{verdict.SwapComplete, goesOn},
	{verdict.ExpireKey, goesOn},
}

// tailnetSteps are those of its Tailnet, which come first. A key that was made and
// not stored is lost: another is made, and that one expires by itself.
var tailnetSteps = []string{onTailnet + tailnet.Mint.String(), onTailnet + tailnet.Store.String()}

// statuses are the reasons that Ready is given meanwhile. A bootstrap always meets
// those that are sure; what the others speak of may be over before the minter looks.
var statuses = []struct {
	write string
	sure  bool
}{
	{onTailnet + onStatus + api.ReasonTailnetReady, true},
	{onStatus + api.ReasonAPIKeyMissing, false},
	{onStatus + api.ReasonAwaitingResources, true},
	{onStatus + api.ReasonProvisioning, false},
	{onStatus + api.ReasonRuntimeNotReady, false},
	{onStatus + api.ReasonIdentityUnproven, false},
	{onStatus + api.ReasonFreshRuntimeReady, true},
}

// more are the writes that only a bootstrap has which was stopped.
var more = []string{
	onStatus + api.ReasonFreshBlocked, onStatus + api.ReasonRestarting,
	string(verdict.CloseEntry), string(verdict.DeleteObject), string(verdict.DeleteState),
}

// slow are the statuses that come at any time where a server takes long to answer.
var slow = []string{onStatus + api.ReasonEvidenceUnavailable, onTailnet + onStatus + api.ReasonHeadscaleUnreachable}

// bootstrap are the names of the steps.
func bootstrap() []string {
	var names []string
	for _, s := range steps[1:] {
		names = append(names, string(s.write))
	}
	return names
}

// listed reports whether an undisturbed bootstrap may write this.
func listed(write string) bool {
	return slices.Contains(bootstrap(), write) || slices.Contains(tailnetSteps, write) || isListedStatus(write)
}

func isListedStatus(write string) bool {
	for _, s := range statuses {
		if s.write == write {
			return true
		}
	}
	return false
}

// then is how it goes on after the last gateway's step that was done.
func then(last string) way {
	for _, s := range steps {
		if string(s.write) == last {
			return s.then
		}
	}
	return ""
}

// keysAfter is how many keys the first process has made.
func keysAfter(last string) int {
	all := bootstrap()
	if slices.Index(all, last) >= slices.Index(all, string(verdict.Mint)) {
		return 1
	}
	return 0
}

// next are the gateway's steps that the next process takes.
func next(last string) []string {
	all := bootstrap()
	switch then(last) {
	case undone:
		return append([]string{string(verdict.DeleteState)}, all...)
	case expires:
		undo := append([]string{string(verdict.CloseEntry)}, slices.Repeat([]string{string(verdict.DeleteObject)}, objects.Count)...)
		return slices.Concat(undo, []string{string(verdict.DeleteState)}, all)
	case byHand: // the rest is somebody else's
		return append([]string{string(verdict.CloseEntry)}, all...)
	}
	return all[slices.Index(all, last)+1:]
}

// The names of the table are those of the packages that decide, and all of them are
// somewhere in it but for what is no part of a bootstrap.
func TestTable(t *testing.T) {
	elsewhere := []string{ // and where
		string(verdict.RemoveForeignEntry),                            // of a gateway made anew
		string(verdict.AddFinalizer), string(verdict.RemoveFinalizer), // with a deletion policy
		string(verdict.RewriteEntry),                                              // of a registry that was lost
		onTailnet + tailnet.Expire.String(), onTailnet + tailnet.Discard.String(), // of a key that is replaced, or was not needed
	}
	var actions []string
	for _, a := range verdict.Actions() {
		actions = append(actions, string(a))
	}
	for _, a := range []tailnet.Action{tailnet.Mint, tailnet.Store, tailnet.Expire, tailnet.Discard} {
		actions = append(actions, onTailnet+a.String())
	}
	for _, a := range actions {
		if in := listed(a) || slices.Contains(more, a); in == slices.Contains(elsewhere, a) {
			t.Errorf("%s: in the table %t", a, in)
		}
	}
	for _, name := range slices.Concat(bootstrap(), tailnetSteps, more) {
		if !isStatus(name) && !slices.Contains(actions, name) {
			t.Errorf("there is no action %s", name)
		}
	}
	for _, s := range statuses {
		kind := api.KindTailnetGateway
		reason, ok := strings.CutPrefix(s.write, onStatus)
		if !ok {
			kind, reason = api.KindTailnet, strings.TrimPrefix(s.write, onTailnet+onStatus)
		}
		if _, ok := api.FindCondition(kind, api.ConditionReady, reason); !ok {
			t.Errorf("%s can give no reason %s", kind, reason)
		}
	}
}
