package view

import (
	"time"

	"tsunaro.io/gateway/renderer/rules"
)

// Gateway is what is known of a gateway. Its JSON is part of the command line: names
// stay, more may be added.
type Gateway struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"` // of everything that belongs to it
	Tailnet   string `json:"tailnet"`

	Health  string `json:"health"`           // Healthy, Suspended, Progressing, Degraded
	Reason  string `json:"reason,omitempty"` // of the condition that decided
	Message string `json:"message"`

	// Findings are what this command saw and the status does not say.
	Findings []string `json:"findings"`
	Next     []Step   `json:"next"`

	Created     time.Time   `json:"created"`
	Minter      Minter      `json:"minter"`
	TailnetIs   *Health     `json:"tailnetHealth,omitempty"`
	Identity    Identity    `json:"identity"`
	PodExists   Known       `json:"podExists"`
	Pod         *Pod        `json:"pod,omitempty"`
	Routes      []Route     `json:"routes"`
	DNS         DNS         `json:"dns"`
	Resources   []Resource  `json:"resources"`
	NotCompared string      `json:"notCompared,omitempty"` // why the resources are not
	Conditions  []Condition `json:"conditions"`
	Unread      []Unread    `json:"unread"`
}

// Step is something to do: in words, and as commands to copy.
type Step struct {
	Text     string   `json:"text,omitempty"`
	Commands []string `json:"commands,omitempty"`
}

// Health is the verdict on an object.
type Health struct {
	Health  string `json:"health"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"`
}

// Known is whether something is so.
type Known string

// The three answers.
const (
	Yes   Known = "Yes"
	No    Known = "No"
	Maybe Known = "Unknown"
)

// Minter tells whether a minter works. Without one nothing that serves stops; what
// stops is change.
type Minter struct {
	Running Known `json:"running"`
	// Seen is the generation that its status is about, Generation the present one.
	Seen       int64 `json:"observedGeneration"`
	Generation int64 `json:"generation"`
}

// Identity is who the gateway is to Headscale and to the cluster.
type Identity struct {
	UID          string   `json:"uid"`
	Hostname     string   `json:"hostname"`
	NodeID       string   `json:"nodeId,omitempty"`
	IPv4         string   `json:"ipv4,omitempty"`
	Tags         []string `json:"tags"`
	Phase        string   `json:"phase,omitempty"` // of the registry's entry: open, minting, complete
	StateSecret  string   `json:"stateSecret"`
	StateExists  Known    `json:"stateExists"`
	StateUID     string   `json:"stateUID,omitempty"`
	Completed    Known    `json:"completed"` // there is a completion receipt
	StaleNodeIDs []string `json:"staleNodeIds,omitempty"`
}

// Pod is the gateway's Pod.
type Pod struct {
	Name     string    `json:"name"`
	Ready    bool      `json:"ready"`
	Phase    string    `json:"phase"`
	Node     string    `json:"node,omitempty"`
	Restarts int32     `json:"restarts"`
	Waiting  string    `json:"waiting,omitempty"` // why a container waits
	Started  time.Time `json:"started,omitzero"`
}

// Route is a prefix, and who knows it: the spec wants it, the running Pod advertises
// it, Headscale has approved it. The last two are as the minter last saw them.
type Route struct {
	Prefix     string `json:"prefix"`
	From       string `json:"from,omitempty"`
	Wanted     Known  `json:"wanted"`
	Advertised Known  `json:"advertised"`
	Approved   Known  `json:"approved"`
	Stale      bool   `json:"stale,omitempty"` // approved, and no longer wanted
}

// DNS is what the gateway answers from.
type DNS struct {
	Zone      string    `json:"zone"`
	Addresses Addresses `json:"addresses"`
	Serial    uint32    `json:"serial,omitempty"` // of the ConfigMap; 0 where it has none that counts
	Names     int       `json:"names"`            // of the present sources; -1 where they are not known
	Reason    string    `json:"reason"`           // of DNSReady, if the minter looked now
	Message   string    `json:"message"`
	Pending   bool      `json:"pending,omitempty"` // the minter has something to write
}

// Addresses are where the gateway is asked.
type Addresses struct {
	LoadBalancer string `json:"loadBalancer"`       // that the spec asks for
	Assigned     string `json:"assigned,omitempty"` // that the Service has
	Cluster      string `json:"cluster"`
	Node         string `json:"node,omitempty"` // in the tailnet
}

// The states of a resource.
const (
	AsRendered  = "AsRendered"
	Behind      = "Behind"      // only where the engine may change it: it has not synced
	Drifted     = "Drifted"     // another field is not as rendered
	Replaced    = "Replaced"    // it is not the object that was recorded
	Deleting    = "Deleting"    // it is on its way out
	Missing     = "Missing"     // it does not exist
	NotCompared = "NotCompared" // the gateway is suspended, or cannot be rendered
	Unknown     = "Unknown"     // it could not be read
)

// Resource is one of the nine.
type Resource struct {
	Kind        string       `json:"kind"`
	Namespace   string       `json:"namespace"`
	Name        string       `json:"name"`
	State       string       `json:"state"`
	Path        string       `json:"path,omitempty"` // of the first field that decided
	Differences []Difference `json:"differences,omitempty"`
}

// Object is the resource's kind and name.
func (r Resource) Object() string {
	return rules.Object{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}.String()
}

// Difference is a field that is not as rendered. Class is Pinned, Mutable where the
// engine may change it, or Live where serial and hash do not belong to the zone.
type Difference struct {
	Path     string `json:"path"`
	Class    string `json:"class"`
	Live     any    `json:"live"`     // null where there is none
	Rendered any    `json:"rendered"` // null where there should be none
}

// Condition is a condition of the status.
type Condition struct {
	Type    string    `json:"type"`
	Status  string    `json:"status"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Since   time.Time `json:"since"`
	Health  string    `json:"health,omitempty"` // of the row of the table
}

// Unread is an object that could not be read, and why: Unreachable, Denied or
// Unreadable.
type Unread struct {
	Object string `json:"object"`
	Why    string `json:"why"`
}
