package observe

import (
	"time"

	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/receipt"
)

// Attempt is what this process itself has done for a gateway, and what it was
// answered. It lives in memory alone: after a crash it is empty, and what is
// durably there has to tell everything (LC-10, MT-04). The zero value is a
// process that has done nothing.
type Attempt struct {
	GatewayUID string // that it is about; of another gateway nothing here counts
	StateUID   string // from the answer to the Create of GW-state (LC-08)
	Minting    *Minting
	Spent      node.ID // the key that is known to make no more nodes
}

// Minting is an entry that this process swapped to phase minting, with the
// answer to prove it: only it may mint for that entry (LC-12).
type Minting struct {
	StateUID string
	Expires  time.Time     // in the entry, and asked for
	Gateway  receipt.Scope // as they were then (LC-09)
	Tailnet  receipt.Scope

	Asked  bool            // a request was sent, and may have made a key
	Minted *mint.Minted    // the key that it made
	Auth   *receipt.Secret // GW-auth, from the answer to its Create (MT-02)
}
