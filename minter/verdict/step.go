package verdict

import (
	"slices"

	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/rules"
)

// Action is a kind of write. The names are stable: status texts and the tests
// that stop the minter between two writes use them.
type Action string

// The actions. Those that create fail if the name is taken, those that swap if
// the resourceVersion is another, those that delete if the UID is.
const (
	None Action = "" // nothing to write

	RemoveForeignEntry Action = "RemoveForeignEntry" // of the registry (LC-21)
	AddFinalizer       Action = "AddFinalizer"       // TD-01
	RemoveFinalizer    Action = "RemoveFinalizer"

	CreateState       Action = "CreateState" // LC-08, in this order
	OpenEntry         Action = "OpenEntry"
	SwapMinting       Action = "SwapMinting"
	Mint              Action = "Mint" // the only one at Headscale that makes something
	CreateAuth        Action = "CreateAuth"
	CreateAuthReceipt Action = "CreateAuthReceipt"
	CreateFresh       Action = "CreateFresh"
	SwapComplete      Action = "SwapComplete"
	ExpireKey         Action = "ExpireKey" // MT-09

	RewriteEntry Action = "RewriteEntry" // of a completed gateway (LC-21)

	CloseEntry   Action = "CloseEntry" // LC-22, in this order
	DeleteObject Action = "DeleteObject"
	DeleteState  Action = "DeleteState"
)

// Actions returns every action that Decide may ask for.
func Actions() []Action { return slices.Clone(actions) }

var actions = []Action{
	RemoveForeignEntry, AddFinalizer, RemoveFinalizer,
	CreateState, OpenEntry, SwapMinting, Mint, CreateAuth, CreateAuthReceipt, CreateFresh, SwapComplete, ExpireKey,
	RewriteEntry, CloseEntry, DeleteObject, DeleteState,
}

// Step is one write with everything that it needs.
type Step struct {
	Do     Action
	Object rules.Object // that is written; of Mint and ExpireKey the Tailnet whose Headscale is asked

	UID      string // that the object must have to be deleted, or given another finalizer
	Revision string // resourceVersion that the object must have; "" where UID is enough. A registry without one is created

	Labels, Annotations map[string]string       // of an object that is created
	Data                map[string]string       // of a ConfigMap that is created, and the whole new data of the registry
	Secret              map[string]sealed.Bytes // of a Secret that is created
	Immutable           bool

	Request mint.Request // of Mint
	Key     node.ID      // of ExpireKey

	begins observe.Minting // of SwapMinting: what After remembers
}
