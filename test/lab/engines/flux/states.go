package flux

import "strings"

// shown is what a Kustomization shows: its condition Ready. The message is a part of
// it, in which GW is the gateway and ONE the Kustomization of step one.
type shown struct{ status, reason, message string }

// state is one that a gateway can be in, and what its Kustomizations then show.
type state struct {
	name     string // for people
	one, two shown
}

// What is shown in more than one state.
var (
	applied  = shown{"True", "ReconciliationSucceeded", "Applied revision: "}
	failed   = shown{"False", "HealthCheckFailed", "failed early due to stalled resources: [TailnetGateway/GW status: 'Failed']"}
	timedOut = shown{"False", "HealthCheckFailed", "timeout waiting for: [TailnetGateway/GW status: 'InProgress']"}
	absent   = shown{"False", "HealthCheckFailed", "timeout waiting for: [TailnetGateway/GW status: 'NotFound']"}
	waits    = shown{"False", "DependencyNotReady", "dependency 'tsunaro-system/ONE' is not ready"}
)

// The states that TestFlux takes gateways through.
var (
	unbound     = state{"no minter is there yet: the gateway is not bound", timedOut, waits}
	foreign     = state{"a Secret of somebody else is in its place", failed, waits}
	notApproved = state{"it runs, and nobody has approved its routes", applied, timedOut}
	serving     = state{"it runs; also after the minter has changed the zone, and after the Pod has restarted", applied, applied}
	podless     = state{"it has no Pod that runs", applied, timedOut}
	oldTemplate = state{"its Pod runs an older template", applied, applied}
	noAddress   = state{"its Service has no address", applied, applied}
	suspended   = state{"suspended while it runs", applied, applied}
	pinned      = state{
		"a field has changed in Git that has to be reverted, and the nine with it: the server refuses them", applied,
		shown{"False", "ReconciliationFailed", "StatefulSet/tsunaro-system/GW dry-run failed"},
	}
	identity   = state{"a field has changed in Git that needs a new node", applied, failed}
	drifted    = state{"somebody has changed one of the nine in a field that Flux leaves to others", applied, failed}
	unattended = state{"no minter runs, and nothing has changed", applied, applied}
	notSeen    = state{"no minter runs, and the gateway has changed in Git", timedOut, waits}
	removed    = state{"its custom resource is no longer in Git: what is retained serves, what is not is torn down", absent, waits}
	recreated  = state{"its custom resource is in Git again, and the nine of the one before were retained", failed, waits}
)

// states are all of them, in the order of a gateway's life.
var states = []state{
	unbound, foreign, notApproved, serving, podless, oldTemplate, noAddress, suspended, pinned, identity, drifted, unattended, notSeen, removed, recreated,
}

// of is what the Kustomizations of one gateway show.
func (s shown) of(gateway, one string) shown {
	s.message = strings.NewReplacer("GW", gateway, "ONE", one).Replace(s.message)
	return s
}
