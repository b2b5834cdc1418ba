package api

import (
	"cmp"
	"slices"
	"strings"
)

// Types of conditions.
const (
	ConditionReady             = "Ready"
	ConditionBound             = "Bound"
	ConditionRegistered        = "Registered"
	ConditionRoutesInSync      = "RoutesInSync"
	ConditionDNSReady          = "DNSReady"
	ConditionWorkloadCurrent   = "WorkloadCurrent"
	ConditionServiceReady      = "ServiceReady"
	ConditionInSync            = "InSync"
	ConditionStaleNodes        = "StaleNodes"
	ConditionClusterDNSForward = "ClusterDNSForward"
	ConditionAPIKey            = "APIKey" // of a Tailnet
	ConditionReconciling       = "Reconciling"
	ConditionStalled           = "Stalled"
)

// ConditionTypes are the types in reading order, with the question that each
// answers.
var ConditionTypes = []struct{ Type, Question string }{
	{ConditionReady, "Has the node its proven identity, and does it run? Of a Tailnet: does Headscale answer, and accept our key? Nothing else counts here: routes, DNS, Service and template have their own conditions."},
	{ConditionReconciling, "Is Ready awaited? The condition is absent otherwise. kstatus reads it, and Flux waits."},
	{ConditionStalled, "Will Ready not come without somebody's help? The condition is absent otherwise. kstatus reads it, and Flux fails at once."},
	{ConditionBound, "May the nine resources exist, and which UIDs do they carry?"},
	{ConditionRegistered, "Does Headscale know the node?"},
	{ConditionRoutesInSync, "Has Headscale approved what the running Pod advertises?"},
	{ConditionDNSReady, "Is the live zone that of the present sources?"},
	{ConditionWorkloadCurrent, "Does the Pod run the present template? The condition is absent while the gateway is suspended, on its way out, or not complete."},
	{ConditionServiceReady, "Has the LoadBalancer Service an address? The condition is absent while the gateway is suspended, on its way out, or not complete."},
	{ConditionInSync, "Are the nine resources as rendered?"},
	{ConditionStaleNodes, "Are there older nodes of the same name?"},
	{ConditionClusterDNSForward, "Does the cluster's own DNS forward the zone?"},
	{ConditionAPIKey, "Has the minter a working key of its own?"},
}

// Status is the status of a condition. The zero value is none of them.
type Status string

// The statuses.
const (
	True    Status = "True"
	False   Status = "False"
	Unknown Status = "Unknown"
)

// Health is what a condition says about the health of its object to Argo CD,
// Flux and people. NoHealth leaves the verdict to the other conditions.
type Health string

// The health classes, the best first.
const (
	NoHealth    Health = ""
	Healthy     Health = "Healthy"
	Suspended   Health = "Suspended"
	Progressing Health = "Progressing"
	Degraded    Health = "Degraded"
)

// Effect is the kstatus condition that accompanies a reason: Reconciling while
// something is awaited, Stalled for what will not heal by itself.
type Effect string

// The effects. Only reasons of Ready have one (ST-01).
const (
	NoEffect   Effect = ""
	Reconciles Effect = ConditionReconciling
	Stalls     Effect = ConditionStalled
)

// Condition is one row of the table: what a condition may say.
type Condition struct {
	Kind   string // TailnetGateway or Tailnet
	Type   string
	Reason string
	Status Status
	Text   string // the fixed message; {name} stands for a public value
	Also   string // sentences, one a line, each added when it applies; may be empty
	Health Health
	Effect Effect
	Next   string // what the user can do; empty if nothing needs doing
}

// Key identifies a row: no two have the same.
type Key struct{ Kind, Type, Reason string }

// Key returns the row's key.
func (c Condition) Key() Key { return Key{c.Kind, c.Type, c.Reason} }

// Message returns the row's text with the values filled in, by the names of
// Parameters. A sentence of Also is added when it has parameters and values holds
// all of them. A parameter of Text without a value stays as its name in braces.
func (c Condition) Message(values map[string]string) string {
	text := c.Text
	for also := range strings.SplitSeq(c.Also, "\n") {
		names := parameters(also)
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return values[n] == "" }) {
			text += " " + also
		}
	}
	for _, name := range parameters(text) {
		if v, ok := values[name]; ok {
			text = strings.ReplaceAll(text, "{"+name+"}", v)
		}
	}
	return text
}

// Parameters are the names that may stand in braces, with what they hold. All
// are public: no credential, no raw error, no clock and no counter.
var Parameters = map[string]string{
	"addresses": "addresses, sorted",
	"command":   "a command to copy",
	"expiry":    "when a key expires that was asked for",
	"format":    "a render format",
	"gateway":   "Kind/name of the gateway",
	"input":     "Kind/name of an object that a gateway is rendered from",
	"key":       "the name of a data key, or of a label",
	"look":      "a command that shows more",
	"must":      "what an admission rule asks for, in its fixed words, with the other object or a canonical spelling",
	"node":      "Headscale's ID of a node",
	"object":    "Kind/name of an object",
	"path":      "the path of a field",
	"pod":       "the name of the Pod",
	"problem":   "what is wrong, in fixed words",
	"reason":    "the reason of the condition Ready",
	"remedy":    "what leads on, in fixed words",
	"routes":    "prefixes, sorted",
	"rule":      "the ID of an admission rule",
	"serial":    "the serial of the zone",
	"stale":     "prefixes, sorted",
	"step":      "the name of a step",
	"sweep":     "a command to copy, for more than one object",
}

// parameters returns the names in braces in a text, sorted.
func parameters(text string) []string {
	var names []string
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			break
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			break
		}
		names, text = append(names, name), after
	}
	slices.SortFunc(names, cmp.Compare[string])
	return slices.Compact(names)
}

// FindCondition returns the row of a kind, type and reason.
func FindCondition(kind, conditionType, reason string) (Condition, bool) {
	i := slices.IndexFunc(Conditions, func(c Condition) bool {
		return c.Key() == Key{kind, conditionType, reason}
	})
	if i < 0 {
		return Condition{}, false
	}
	return Conditions[i], true
}
