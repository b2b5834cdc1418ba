package api

// Reasons of the conditions of a TailnetGateway and of a Tailnet.
const (
	ReasonSuspended           = "Suspended"
	ReasonEvidenceUnavailable = "EvidenceUnavailable"

	ReasonFreshRuntimeReady = "FreshRuntimeReady"
	ReasonAwaitingResources = "AwaitingResources"
	ReasonProvisioning      = "Provisioning"
	ReasonRuntimeNotReady   = "RuntimeNotReady"
	ReasonIdentityUnproven  = "IdentityUnproven"
	ReasonRestarting        = "Restarting"
	ReasonFreshBlocked      = "FreshBlocked"
	ReasonIdentityChanged   = "IdentityChanged"
	ReasonSpecRefused       = "SpecRefused"
	ReasonFormatUnknown     = "FormatUnknown"
	ReasonTailnetMissing    = "TailnetMissing"
	ReasonAPIKeyMissing     = "APIKeyMissing"
	ReasonHostsMissing      = "HostsMissing"
	ReasonHostsRefused      = "HostsRefused"
	ReasonDeleting          = "Deleting"
	ReasonTeardownBlocked   = "TeardownBlocked"

	ReasonBindingOpen     = "BindingOpen"
	ReasonBindingMinting  = "BindingMinting"
	ReasonBindingComplete = "BindingComplete"
	ReasonNotBound        = "NotBound"
	ReasonBindingClosed   = "BindingClosed"

	ReasonNodeRegistered = "NodeRegistered"
	ReasonNotRegistered  = "NotRegistered"
	ReasonNodeAmbiguous  = "NodeAmbiguous"

	ReasonApproved    = "Approved"
	ReasonNotApproved = "NotApproved"
	ReasonNotReady    = "NotReady"

	ReasonDNSInSync          = "DNSInSync"
	ReasonDNSNotCompared     = "DNSNotCompared"
	ReasonDNSUpdateBlocked   = "DNSUpdateBlocked"
	ReasonDNSUpdateConflict  = "DNSUpdateConflict"
	ReasonDNSSerialExhausted = "DNSSerialExhausted"

	ReasonPodCurrent            = "PodCurrent"
	ReasonPodTemplateStale      = "PodTemplateStale"
	ReasonTemplateOutOfSync     = "TemplateOutOfSync"
	ReasonWorkloadUpdateBlocked = "WorkloadUpdateBlocked"
	ReasonPodMissing            = "PodMissing"

	ReasonLoadBalancerAssigned = "LoadBalancerAssigned"
	ReasonLBPending            = "LBPending"
	ReasonServiceUpdateBlocked = "ServiceUpdateBlocked"

	ReasonAsRendered        = "AsRendered"
	ReasonDrifted           = "Drifted"
	ReasonEngineBehind      = "EngineBehind"
	ReasonResourcesMissing  = "ResourcesMissing"
	ReasonExternallyManaged = "ExternallyManaged"

	ReasonTailnetReady         = "TailnetReady"
	ReasonBootstrapKeyMissing  = "BootstrapKeyMissing"
	ReasonCABundleMissing      = "CABundleMissing"
	ReasonHeadscaleUnreachable = "HeadscaleUnreachable"
	ReasonKeyRejected          = "KeyRejected"
	ReasonKeyBlocked           = "KeyBlocked"
	ReasonKeyNotStored         = "KeyNotStored"
	ReasonInUse                = "InUse"
	ReasonKeyCurrent           = "KeyCurrent"
	ReasonKeyMissing           = "KeyMissing"
	ReasonRotationFailed       = "RotationFailed"

	ReasonAwaiting = "Awaiting"
	ReasonBlocked  = "Blocked"
)

const (
	gateway = KindTailnetGateway
	tailnet = KindTailnet
)

// Conditions is the one table of what conditions say (ST-09). A condition that
// is not listed here is not ours and is kept as it is. The texts take public
// values only, and say the same as long as the state is the same (ST-03).
//
// While a gateway is suspended, terminating or not complete, WorkloadCurrent and
// ServiceReady are absent (UP-07). Reconciling and Stalled are absent unless the
// reason of Ready has their effect.
var Conditions = []Condition{
	{gateway, ConditionReady, ReasonFreshRuntimeReady, True,
		"The node has its proven identity, and {pod} is running and ready.", "", Healthy, NoEffect, ""},
	{gateway, ConditionReady, ReasonSuspended, False,
		"The gateway is suspended: nothing is rendered or minted, and what runs keeps running.", "", Suspended, NoEffect,
		"Set spec.suspend to false to activate it."},
	{gateway, ConditionReady, ReasonTailnetMissing, False,
		"{object}, which the gateway refers to, does not exist.", "", Progressing, Reconciles,
		"Apply the Tailnet, or correct spec.tailnetRef."},
	{gateway, ConditionReady, ReasonAPIKeyMissing, False,
		"{object} has no working key that Headscale accepts; its condition Ready says why.", "", Progressing, Reconciles,
		"Look at the condition APIKey of the Tailnet."},
	{gateway, ConditionReady, ReasonHostsMissing, False,
		"{object} does not exist, or has no key {key}: create it, empty if there are no dynamic names.", "", Progressing, Reconciles,
		"Create the hosts source, with the label that holds the Tailnet's name."},
	{gateway, ConditionReady, ReasonHostsRefused, False,
		"{object} is refused: {path} {must} [{rule}].", "", Degraded, Stalls,
		"Correct the line; the reference of rules says what it must be."},
	{gateway, ConditionReady, ReasonSpecRefused, False,
		"{object} is refused: {path} {must} [{rule}].", "", Degraded, Stalls,
		"Correct the field; the reference of rules says what it must be."},
	{gateway, ConditionReady, ReasonFormatUnknown, False,
		"This minter does not know render format {format}: it takes a later version of the minter.", "", Degraded, Stalls,
		"Update the minter to a version that knows the format. Do not change spec.renderFormat."},
	{gateway, ConditionReady, ReasonAwaitingResources, False,
		"The nine resources may be created now, and none of them is there yet: the GitOps engine, or kubectl, applies what was rendered.", "", Progressing, Reconciles,
		"Let the GitOps engine apply the rendered resources; it tries again by itself."},
	{gateway, ConditionReady, ReasonProvisioning, False,
		"Setting up, before the step {step}: {object} {problem}.", "", Progressing, Reconciles,
		"If it takes long, look at the object that is named: `kubectl tsunaro diff` tells how it differs."},
	{gateway, ConditionReady, ReasonRuntimeNotReady, False,
		"{pod} is not running, or not ready.", "Its node does not advertise what the Pod was started with: {routes}.\nTo see why: `{look}`.", Progressing, Reconciles,
		"Look at the Pod's events and at the log of its init container."},
	{gateway, ConditionReady, ReasonIdentityUnproven, False,
		"Headscale shows no single online node with the keys in {object}.", "Node {node} has them, but {problem}.", Progressing, Reconciles,
		"Look at the Pod's log, and at the nodes in Headscale."},
	{gateway, ConditionReady, ReasonRestarting, False,
		"An attempt whose node never started is undone before the next one, at the step {step}.", "Waiting for {object}.", Progressing, Reconciles, ""},
	{gateway, ConditionReady, ReasonFreshBlocked, False,
		"{object} {problem}, so nothing is touched.",
		"The first difference is at {path}.\n{remedy}.\nThe attempt is undone by itself when that key has expired, after {expiry}.\nIf nobody needs it, remove it: `{command}`.\nIf nobody needs what is left of that one, remove it: `{sweep}`.\nNothing brings it back: delete {gateway}, with deletionPolicy: Delete to clear up, and create it anew.", Degraded, Stalls,
		"Do what the message says. Nothing that the gateway runs is stopped meanwhile."},
	{gateway, ConditionReady, ReasonIdentityChanged, False,
		"{path} of {object} {problem}, which needs a new node: revert it, or delete the gateway and create it anew.", "", Degraded, Stalls,
		"Revert the field, or delete the gateway with deletionPolicy: Delete and create it anew."},
	{gateway, ConditionReady, ReasonEvidenceUnavailable, Unknown,
		"{object} could not be read, so nothing is claimed about the gateway.", "", Progressing, Reconciles,
		"Look at the API server, at Headscale and at the minter's permissions, if it lasts."},
	{gateway, ConditionReady, ReasonDeleting, False,
		"Teardown, at the step {step}: waiting for {object}.", "", Progressing, Reconciles, ""},
	{gateway, ConditionReady, ReasonTeardownBlocked, False,
		"Teardown stopped at the step {step}: {object} is not what the receipt recorded, or could not be removed.",
		"If nobody needs it, remove it: `{command}`.", Degraded, Stalls,
		"Remove the conflict, or set deletionPolicy: Retain to keep what is left."},

	{gateway, ConditionBound, ReasonBindingOpen, True,
		"The resources may be created now.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionBound, ReasonBindingMinting, True,
		"The resources are verified, and the node's key is being made.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionBound, ReasonBindingComplete, True,
		"The resources belong to this gateway and its state for good.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionBound, ReasonNotBound, False,
		"The registry holds no entry for this gateway and its state.", "", NoHealth, NoEffect,
		"The condition Ready says what it waits for."},
	{gateway, ConditionBound, ReasonBindingClosed, False,
		"The entry is closed, so that nothing can be created again.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionBound, ReasonSuspended, Unknown, suspended, "", NoHealth, NoEffect, ""},
	{gateway, ConditionBound, ReasonEvidenceUnavailable, Unknown, unavailable, "", NoHealth, NoEffect, ""},

	{gateway, ConditionRegistered, ReasonNodeRegistered, True,
		"Headscale knows the gateway as node {node}.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionRegistered, ReasonNotRegistered, False,
		"Headscale has no node that is proven to be this gateway by its keys, name, tags and address.", "", NoHealth, NoEffect,
		"The condition Ready says what it waits for."},
	{gateway, ConditionRegistered, ReasonNodeAmbiguous, False,
		"Headscale has several nodes that claim the gateway's keys or name.", "", Degraded, NoEffect,
		"Look at status.staleNodeIds, and remove the nodes that are not this gateway from Headscale."},
	{gateway, ConditionRegistered, ReasonSuspended, Unknown, suspended, "", NoHealth, NoEffect, ""},
	{gateway, ConditionRegistered, ReasonEvidenceUnavailable, Unknown, unavailable, "", NoHealth, NoEffect, ""},

	{gateway, ConditionRoutesInSync, ReasonApproved, True,
		"Headscale has approved every route that the Pod advertises.", "Approved but no longer wanted: {stale}.", NoHealth, NoEffect, ""},
	{gateway, ConditionRoutesInSync, ReasonNotApproved, False,
		"Headscale has not approved {routes}.", "Approved but no longer wanted: {stale}.", Progressing, NoEffect,
		"With policy.mode: Apply it happens by itself. Otherwise approve the routes in Headscale, or in your policy's autoApprovers."},
	{gateway, ConditionRoutesInSync, ReasonNotReady, Unknown,
		"Nothing is claimed about routes until the gateway is ready.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionRoutesInSync, ReasonSuspended, Unknown, suspended, "", NoHealth, NoEffect, ""},
	{gateway, ConditionRoutesInSync, ReasonEvidenceUnavailable, Unknown, unavailable, "", NoHealth, NoEffect, ""},

	{gateway, ConditionDNSReady, ReasonDNSInSync, True,
		"The zone is live with serial {serial}.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionDNSReady, ReasonDNSUpdateBlocked, False,
		"{object} is left alone: {problem}.", "The first difference is at {path}.", Degraded, NoEffect,
		"Restore the ConfigMap's annotations and data as the page about DNS says; the serial must not go back."},
	{gateway, ConditionDNSReady, ReasonDNSNotCompared, Unknown,
		"Nothing is claimed about the live zone until it has been compared with its sources.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionDNSReady, ReasonDNSUpdateConflict, False,
		"{object} was changed by somebody else during each attempt to update it.", "", Progressing, NoEffect,
		"It is tried again. If it lasts, find out who else writes the ConfigMap."},
	{gateway, ConditionDNSReady, ReasonDNSSerialExhausted, False,
		"{object} has the highest serial that a zone can have.", "", Degraded, NoEffect,
		"Recreate the gateway: a serial never wraps or goes back."},
	{gateway, ConditionDNSReady, ReasonHostsMissing, False,
		"{object} does not exist, or has no key {key}. The last zone stays live.", "", Degraded, NoEffect,
		"Restore the hosts source."},
	{gateway, ConditionDNSReady, ReasonHostsRefused, False,
		"{object} is refused: {path} {must} [{rule}]. The last zone stays live.", "", Degraded, NoEffect,
		"Correct the line; the reference of rules says what it must be."},
	{gateway, ConditionDNSReady, ReasonSuspended, Unknown, suspended, "", NoHealth, NoEffect, ""},
	{gateway, ConditionDNSReady, ReasonEvidenceUnavailable, Unknown, unavailable, "", NoHealth, NoEffect, ""},

	{gateway, ConditionWorkloadCurrent, ReasonPodCurrent, True,
		"{pod} runs the current template.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionWorkloadCurrent, ReasonPodTemplateStale, False,
		"{pod} runs an older template: delete it when an interruption is convenient.",
		"Not advertised yet: {routes}.\nAdvertised beyond the template: {stale}.", NoHealth, NoEffect,
		"`kubectl delete pod` with the Pod's name; it comes back as the same node."},
	{gateway, ConditionWorkloadCurrent, ReasonTemplateOutOfSync, False,
		"The template of {object} is not the render of the current spec.",
		"The first difference is at {path}.\nIt lacks the routes {routes}.\nIt has the routes {stale}, which nothing in the cluster asks for.\n{input} asks for one of those that it lacks, and must be among what the build renders.", Progressing, NoEffect,
		"Let the GitOps engine sync. If it has, render again from what the cluster has: a build that lacks a TailnetEgress of the Tailnet never gets there."},
	{gateway, ConditionWorkloadCurrent, ReasonWorkloadUpdateBlocked, False,
		"What the Pod should run cannot be told: {object} {problem}.", "Its {path} {must} [{rule}].", Degraded, NoEffect,
		"The condition Ready, or the reference of rules, says what to correct."},
	{gateway, ConditionWorkloadCurrent, ReasonPodMissing, Unknown,
		"There is no {pod} that could run the template.", "", NoHealth, NoEffect,
		"The condition Ready says what it waits for."},
	{gateway, ConditionWorkloadCurrent, ReasonEvidenceUnavailable, Unknown, unavailable, "", NoHealth, NoEffect, ""},

	{gateway, ConditionServiceReady, ReasonLoadBalancerAssigned, True,
		"{object} has {addresses}.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionServiceReady, ReasonLBPending, False,
		"{object} has no address yet: check the load balancer and its pool.", "", NoHealth, NoEffect,
		"Look at the load balancer: its pool must hold spec.loadBalancerIP and select spec.poolLabels."},
	{gateway, ConditionServiceReady, ReasonServiceUpdateBlocked, False,
		"{object} already has a label {key} that somebody else put there.", "If nobody needs it, remove it: `{command}`.", Degraded, NoEffect,
		"Remove that label from the Service, or take another key in spec.poolLabels."},
	{gateway, ConditionServiceReady, ReasonEvidenceUnavailable, Unknown, unavailable, "", NoHealth, NoEffect, ""},

	{gateway, ConditionInSync, ReasonAsRendered, True,
		"The nine resources are as rendered.", "", NoHealth, NoEffect, ""},
	{gateway, ConditionInSync, ReasonResourcesMissing, False,
		"{object} is missing.", "", Progressing, NoEffect,
		"Before completion the GitOps engine applies it. Afterwards it must not be created again: see Ready."},
	{gateway, ConditionInSync, ReasonEngineBehind, False,
		"{object} is not yet as rendered at {path}, where the engine may change it. status.drift lists the first differences.", "", Progressing, NoEffect,
		"Let the GitOps engine sync."},
	{gateway, ConditionInSync, ReasonDrifted, False,
		"{object} differs from its render at {path}. status.drift lists the first differences.", "", Degraded, NoEffect,
		"Let the GitOps engine sync, and find out who changed the object."},
	{gateway, ConditionInSync, ReasonSuspended, Unknown, suspended, "", NoHealth, NoEffect, ""},
	{gateway, ConditionInSync, ReasonEvidenceUnavailable, Unknown,
		"{object} could not be read or rendered.", "", NoHealth, NoEffect, ""},

	{gateway, ConditionStaleNodes, ReasonExternallyManaged, Unknown,
		"Older nodes of the same name are listed in status.staleNodeIds and never deleted.", "", NoHealth, NoEffect,
		"Remove them from Headscale when you are sure."},
	{gateway, ConditionStaleNodes, ReasonSuspended, Unknown, suspended, "", NoHealth, NoEffect, ""},

	{gateway, ConditionClusterDNSForward, ReasonExternallyManaged, Unknown,
		"The cluster's own DNS is not changed from here.", "", NoHealth, NoEffect,
		"Forward the zone from the cluster's DNS to spec.dns.clusterIP."},
	{gateway, ConditionClusterDNSForward, ReasonSuspended, Unknown, suspended, "", NoHealth, NoEffect, ""},

	{gateway, ConditionReconciling, ReasonAwaiting, True, awaiting, "", NoHealth, NoEffect, ""},
	{gateway, ConditionStalled, ReasonBlocked, True, blocked, "", NoHealth, NoEffect, "Do what the reason of Ready asks for."},

	{tailnet, ConditionReady, ReasonTailnetReady, True,
		"Headscale answers and accepts the working key.", "", Healthy, NoEffect, ""},
	{tailnet, ConditionReady, ReasonSpecRefused, False,
		"{object} breaks the rule {rule} at {path}.", "", Degraded, Stalls,
		"Correct the field; the reference of rules says what it must be."},
	{tailnet, ConditionReady, ReasonBootstrapKeyMissing, False,
		"{object} does not exist, or has no key {key}.", "", Progressing, Reconciles,
		"Make an API key with Headscale and store it there."},
	{tailnet, ConditionReady, ReasonCABundleMissing, False,
		"{object} does not exist, or has no certificate under the key {key}.", "", Progressing, Reconciles,
		"Create the ConfigMap, or leave out spec.caBundleConfigMapRef."},
	{tailnet, ConditionReady, ReasonHostsMissing, False,
		"{object} does not exist, has no key {key}, or lacks the label with this Tailnet's name.", "", Progressing, Reconciles,
		"Create the hosts source with its label, empty if there are no dynamic names."},
	{tailnet, ConditionReady, ReasonHeadscaleUnreachable, False,
		"Headscale cannot be used at the API's URL: {problem}.", "", Progressing, Reconciles,
		"Look at spec.apiURL, at the CA bundle, at the network and what is in between, and at Headscale's log."},
	{tailnet, ConditionReady, ReasonKeyRejected, False,
		"Headscale refuses the key in {object}.", "", Degraded, Stalls,
		"Make a new API key with Headscale and replace the one in the Secret."},
	{tailnet, ConditionReady, ReasonKeyBlocked, False,
		"{object} is where the working key belongs, and is not the minter's to write, so it is neither used nor replaced.",
		"If nobody needs it, remove it: `{command}`.", Degraded, Stalls,
		"Remove the Secret, or keep its content under another name; the minter makes its own."},
	{tailnet, ConditionReady, ReasonKeyNotStored, False,
		"A working key was made and could not be stored in {object}.", "", Progressing, Reconciles,
		"Look at the API server, at the minter's permissions and at admission policies."},
	{tailnet, ConditionReady, ReasonInUse, False,
		"The Tailnet is kept until {object} is gone, which needs it for its teardown.", "", Progressing, Reconciles, ""},
	{tailnet, ConditionReady, ReasonEvidenceUnavailable, Unknown,
		"{object} could not be read, so nothing is claimed about the tailnet.", "", Progressing, Reconciles,
		"Look at the API server and at the minter's permissions, if it lasts."},

	{tailnet, ConditionAPIKey, ReasonKeyCurrent, True,
		"The working key is accepted; status.apiKey says when it expires.", "", NoHealth, NoEffect, ""},
	{tailnet, ConditionAPIKey, ReasonKeyMissing, False,
		"There is no working key yet.", "", NoHealth, NoEffect, "The condition Ready says what it waits for."},
	{tailnet, ConditionAPIKey, ReasonKeyRejected, False,
		"Headscale refuses the working key; a new one is made with the bootstrap key.", "", NoHealth, NoEffect, ""},
	{tailnet, ConditionAPIKey, ReasonRotationFailed, False,
		"The next working key could not be made; the present one still works.", "", Degraded, NoEffect,
		"Replace the bootstrap key before the time in status.apiKey."},
	{tailnet, ConditionAPIKey, ReasonEvidenceUnavailable, Unknown, unavailable, "", NoHealth, NoEffect, ""},

	{tailnet, ConditionReconciling, ReasonAwaiting, True, awaiting, "", NoHealth, NoEffect, ""},
	{tailnet, ConditionStalled, ReasonBlocked, True, blocked, "", NoHealth, NoEffect, "Do what the reason of Ready asks for."},
}

// Texts that several conditions share.
const (
	suspended   = "Nothing is claimed while the gateway is suspended."
	unavailable = "{object} could not be read."
	awaiting    = "Ready waits: {reason}."
	blocked     = "Ready will not come by itself: {reason}."
)
