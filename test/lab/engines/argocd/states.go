package argocd

// state is one that a gateway can be in, and what its Application then shows.
type state struct {
	name       string // for people
	health     string // of the Application
	sync       string
	operation  string // phase of the last sync
	conditions string // type of the Application's only condition, if it has one
}

// The states that TestLife takes the gateway through.
var (
	unbound     = state{"no minter is there: the nine are refused, and tried again", "Progressing", "OutOfSync", "Running", ""}
	over        = state{"the same, and the retries are over: Argo CD goes on with the next commit, or Sync", "Progressing", "OutOfSync", "Failed", "SyncError"}
	foreign     = state{"a Secret of somebody else is in its place", "Degraded", "OutOfSync", "Running", ""}
	notApproved = state{"it runs, and nobody has approved its routes", "Progressing", "Synced", "Succeeded", ""}
	serving     = state{"it runs; also after the minter has changed the zone, and after the Pod has restarted", "Healthy", "Synced", "Succeeded", ""}
	restarting  = state{"its Pod is not ready", "Progressing", "Synced", "Succeeded", ""}
	oldTemplate = state{"its Pod runs an older template", "Healthy", "Synced", "Succeeded", ""}
	noAddress   = state{"its Service has no address", "Healthy", "Synced", "Succeeded", ""}
	suspended   = state{"suspended while it runs", "Suspended", "Synced", "Succeeded", ""}
	identity    = state{"a field has changed in Git that needs a new node", "Degraded", "Synced", "Succeeded", ""}
	pinned      = state{"a field has changed in Git that the server refuses: nothing of that commit is applied", "Healthy", "Unknown", "Succeeded", "ComparisonError"}
	drifted     = state{"somebody has changed one of the nine, and the Application does not heal itself", "Degraded", "OutOfSync", "Succeeded", ""}
	unattended  = state{"no minter runs, and nothing has changed", "Healthy", "Synced", "Succeeded", ""}
	notSeen     = state{"no minter runs, and the gateway has changed in Git", "Progressing", "Synced", "Succeeded", ""}
	unbuilt     = state{"what is in Git cannot be rendered", "Healthy", "Unknown", "Succeeded", "ComparisonError"}
	retained    = state{"made anew after a deletion that retained the old one", "Degraded", "Synced", "Succeeded", ""}
)

// states are all of them in the order of a gateway's life.
var states = []state{
	unbound, over, foreign, notApproved, serving, restarting, oldTemplate, noAddress, suspended, identity, pinned, drifted, unattended, notSeen, unbuilt, retained,
}
