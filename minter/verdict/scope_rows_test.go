package verdict_test

import (
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
)

// Who decides at all, and about what.
var scopeRows = []row{
	// REQ: LC-21
	{"an entry of another UID goes first", verdict.CreateState, func(w *observe.World) {
		w.Registry = observe.Known(observe.Registry{Revision: "9", Data: map[string]string{"lab_gw_gateway_uid": uid(50), "lab_gw_state_uid": uid(51), "lab_gw_phase": "open", "other_gateway_uid": uid(52)}})
	}, verdict.RemoveForeignEntry, "Provisioning", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"also half of one", verdict.CreateState, func(w *observe.World) {
		w.Registry = observe.Known(observe.Registry{Revision: "9", Data: map[string]string{"lab_gw_gateway_uid": uid(50)}})
	}, verdict.RemoveForeignEntry, "Provisioning", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"also of a completed gateway", ready, recreate, verdict.RemoveForeignEntry, "Provisioning", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"also while suspended", ready, all(recreate, suspend), verdict.RemoveForeignEntry, "Suspended", "", ""},
	{"also of a gateway whose Tailnet is another minter's", verdict.SwapMinting, all(recreate, func(w *observe.World) { w.Namespace = "elsewhere" }), verdict.RemoveForeignEntry, "Provisioning", "ConfigMap/elsewhere/tsunaro-bindings", ""},
	{"a re-created gateway never inherits the state", verdict.SwapMinting, all(recreate, func(w *observe.World) { w.Registry = observe.Absent[observe.Registry]() }), verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete secret lab-gw-state" + ns},
	{"nor the receipt", restored, recreate, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete configmap lab-gw-fresh" + ns},

	// REQ: LC-02, LC-03, TD-01, TD-05
	{"suspended: nothing is written", verdict.CreateState, suspend, verdict.None, "Suspended", "", ""},
	{"no value is suspended", verdict.CreateState, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Spec.Suspend = nil }, verdict.None, "Suspended", "", ""},
	{"suspended, and nothing else was read", verdict.Mint, all(suspend, func(w *observe.World) { *w = observe.World{Now: w.Now, Namespace: w.Namespace, Gateway: w.Gateway} }), verdict.None, "Suspended", "", ""},
	{"suspended keeps a finalizer with consent", ready, all(suspend, finalize, consent), verdict.None, "Suspended", "", ""},
	{"suspended drops it without", ready, all(suspend, finalize), verdict.RemoveFinalizer, "Suspended", "", ""},
	{"suspended drops it when it is deleted", ready, all(suspend, finalize, consent, terminate), verdict.RemoveFinalizer, "Suspended", "", ""},
	{"suspended sets none", ready, all(suspend, consent, hold), verdict.None, "Suspended", "", ""},
	{"consent sets the finalizer, Ready stays", ready, all(consent, hold), verdict.AddFinalizer, "FreshRuntimeReady", "", ""},
	{"before anything is created", verdict.CreateState, all(consent, hold), verdict.AddFinalizer, "Provisioning", "Secret/tsunaro-system/lab-gw-state", ""},
	// REQ: TD-07
	{"not before the Tailnet is held", ready, consent, verdict.None, "FreshRuntimeReady", "", ""},
	{"and nothing waits for that", verdict.CreateState, consent, verdict.CreateState, "Provisioning", "Secret/tsunaro-system/lab-gw-state", ""},
	{"it stays when the Tailnet is no longer held", ready, all(consent, finalize), verdict.None, "FreshRuntimeReady", "", ""},
	{"not before a foreign entry could be seen", ready, all(consent, hold, func(w *observe.World) { w.Registry = observe.Unknown[observe.Registry](observe.Denied) }), verdict.None, "EvidenceUnavailable", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"once", ready, all(consent, hold, finalize), verdict.None, "FreshRuntimeReady", "", ""},
	{"Retain removes it, Ready stays", ready, finalize, verdict.RemoveFinalizer, "FreshRuntimeReady", "", ""},
	{"also while terminating", ready, all(finalize, terminate), verdict.RemoveFinalizer, "Deleting", "TailnetGateway/lab-gw", ""},
	{"also without its Tailnet", ready, all(finalize, terminate, func(w *observe.World) { w.Tailnet = observe.Absent[*v1Tailnet]() }), verdict.RemoveFinalizer, "Deleting", "TailnetGateway/lab-gw", ""},
	{"with consent the teardown takes over", ready, all(finalize, terminate, consent), verdict.None, "Deleting", "TailnetGateway/lab-gw", ""},
	{"a terminating gateway gets no finalizer", ready, all(terminate, consent, hold), verdict.None, "Deleting", "TailnetGateway/lab-gw", ""},
	{"and nothing new", verdict.Mint, terminate, verdict.None, "Deleting", "TailnetGateway/lab-gw", ""},

	{"a missing Tailnet", verdict.CreateState, func(w *observe.World) { w.Tailnet = observe.Absent[*v1Tailnet]() }, verdict.None, "TailnetMissing", "Tailnet/home", ""},
	{"also of a completed gateway", ready, func(w *observe.World) { w.Tailnet = observe.Absent[*v1Tailnet]() }, verdict.None, "TailnetMissing", "Tailnet/home", ""},
	// REQ: LC-06
	{"an unknown Tailnet", ready, func(w *observe.World) { w.Tailnet = observe.Unknown[*v1Tailnet](observe.Denied) }, verdict.None, "EvidenceUnavailable", "Tailnet/home", ""},
	{"an unknown registry", verdict.CreateState, func(w *observe.World) { w.Registry = observe.Unknown[observe.Registry](observe.Unreachable) }, verdict.None, "EvidenceUnavailable", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	// REQ: RN-11
	{"a format of the future", ready, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Spec.RenderFormat = 2 }, verdict.None, "FormatUnknown", "", ""},
}
