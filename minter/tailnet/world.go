package tailnet

import (
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/rules"
)

// World is everything that a decision about one Tailnet rests on, read in one pass
// and uncached (LC-06).
type World struct {
	Now     time.Time
	Tailnet *v1alpha1.Tailnet
	Refused rules.Refusal // what is wrong with its spec; empty if nothing is

	CABundle  observe.Fact[string]    // PEM; empty where none is named, absent where it is missing or holds no certificate
	Hosts     observe.Fact[struct{}]  // absent: the ConfigMap, its key or its label is missing (DL-08)
	Bootstrap observe.Fact[Bootstrap] // absent: the Secret or its key is missing
	Secret    observe.Fact[Secret]    // the working key's

	// What gateways mean for a Tailnet that is being deleted (TD-07): the first whose
	// teardown it stays for, or that none of them can be read.
	InUse  rules.Object
	Unread bool

	// Leaving means that nothing needs the Tailnet any more, and that it is gone once
	// the minter's finalizer is. Nobody looks after its key then.
	Leaving bool

	Answer Answer // to the key in Secret
	Proof  Answer // to the key in Memory.Minted

	Memory Memory
}

// Bootstrap is the user's API key.
type Bootstrap struct {
	Key    sealed.Bytes
	Prefix string // its public part; empty for a key in another form
}

// Reply is what Headscale says to a key.
type Reply uint8

// The replies.
const (
	Unasked  Reply = iota
	Accepted       // it has listed its API keys
	Rejected       // it refuses the key
	Failing        // it does not say
)

// Answer is a Reply with what came with it.
type Answer struct {
	Reply   Reply
	Problem Problem // of Failing
	Keys    []Listed
}

// Listed is an API key as Headscale lists it: whose it is cannot be told from it
// (MT-08).
type Listed struct {
	ID      node.ID
	Prefix  string
	Expires time.Time // the zero time where Headscale stored none
}

// find returns the key with a prefix.
func (a Answer) find(prefix string) (Listed, bool) {
	for _, k := range a.Keys {
		if prefix != "" && k.Prefix == prefix {
			return k, true
		}
	}
	return Listed{}, false
}

// Problem is why Headscale does not do what it is asked for, in the fixed words of
// a condition.
type Problem string

// The problems.
const (
	NoConnection Problem = "there is no answer"
	NotTrusted   Problem = "its certificate is not trusted"
	NotHeadscale Problem = "what answers is not Headscale"
	Errs         Problem = "it answers with an error"
	Fickle       Problem = "it refuses a key that it has just made"
)
