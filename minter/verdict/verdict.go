package verdict

import (
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
)

// Verdict is what is due for a gateway, and what is true about it.
type Verdict struct {
	Step Step // Do is None if there is nothing to write

	Reason string            // of the condition Ready, one of the table's
	Values map[string]string // for the text of that reason

	// Again is when time alone may change the verdict; the zero time if it cannot.
	Again time.Time

	// LeaveAlone means that nothing may be written for the gateway, not even its
	// status: it is another minter's, or cannot be read (RN-12).
	LeaveAlone bool

	// Teardown means that the gateway is on its way out with consent: what happens
	// then is decided elsewhere, by the receipt (TD-02).
	Teardown bool

	// Unheld means that the gateway gets its finalizer as soon as its Tailnet has one
	// (TD-07). Nothing else waits for that.
	Unheld bool

	Evidence Evidence
}

// Evidence is what Decide found on its way, for the other conditions.
type Evidence struct {
	Completed bool         // there is a completion receipt of this gateway
	Pod       *observe.Pod // its own, if it is there

	// Judged means that Problem says something: the state is the receipt's, and
	// Headscale's nodes are known. Node is the one that has the keys, if one has.
	Judged  bool
	Problem proof.Problem
	Node    *node.Node

	// Spent is the minted key if it is known to make no more nodes. It belongs into
	// Attempt.Spent, so that nobody asks about it again.
	Spent node.ID

	// Zone is what is true of the live zone, where package livedns has decided about
	// it. Decide leaves it nil.
	Zone *Zone
}

// Zone is what the condition DNSReady says, and how much is served.
type Zone struct {
	Reason string
	Values map[string]string
	Serial uint32 // 0 where it is not in sync
	Names  int
}
