package observe

import (
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/objects"
)

// World is everything that a decision about one gateway rests on, read in one
// pass and uncached (LC-06). While the gateway is suspended only Gateway and
// Registry are read (LC-03).
type World struct {
	Now       time.Time
	Namespace string // that the minter runs in and is responsible for (RN-12)

	Gateway  Fact[*v1alpha1.TailnetGateway]
	Tailnet  Fact[*v1alpha1.Tailnet] // that the gateway refers to
	Registry Fact[Registry]          // absent: there is no ConfigMap of that name

	Hosts  Fact[Object]         // the ConfigMap that the Tailnet names as hosts source
	Render Fact[Render]         // unknown where one of its inputs is, but for Hosts
	Peers  Fact[[]model.Inputs] // the other gateways of the cluster, suspended ones too

	State       Fact[State]      // GW-state
	Auth        Fact[Object]     // GW-auth
	AuthReceipt Fact[AuthRecord] // GW-auth-receipt
	Fresh       Fact[Completion] // GW-fresh
	FreshNext   Fact[Object]     // GW-fresh-next

	Nine Nine
	Pods Fact[[]Pod] // those named GW-0, and those labelled with the gateway's UID

	APIKey Fact[Accepted]    // the Tailnet's working key; absent: there is none, or Headscale refuses it
	Nodes  Fact[[]node.Node] // Headscale's whole list

	// KeyExpires is when the key of the completion receipt expires, as Headscale has
	// it by its ID; absent where Headscale has no such key any more. It need not be
	// read where Attempt.Spent names the key.
	KeyExpires Fact[time.Time]

	Attempt Attempt // what this process did
}

// Accepted says that Headscale takes a key.
type Accepted struct{}

// Nine are the nine resources in the order of objects.Set. Absent is one that is
// not there.
type Nine [objects.Count]Fact[Member]

// Workload is the index of the StatefulSet in a Nine: the last.
const Workload = objects.Count - 1
