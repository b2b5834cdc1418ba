package verdict_test

import (
	"time"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
)

// The safe restart.
//
// REQ: LC-22
var restartRows = []row{
	{"an attempt of nobody", unnamed, nothing, verdict.DeleteState, "Restarting", "Secret/tsunaro-system/lab-gw-state", ""},
	{"its maker may still be there", unnamed, func(w *observe.World) { w.Now = start.Add(29 * time.Second) }, verdict.None, "Restarting", "Secret/tsunaro-system/lab-gw-state", ""},
	{"its maker is here", verdict.OpenEntry, func(w *observe.World) { w.Now = start.Add(time.Hour) }, verdict.OpenEntry, "Provisioning", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"its maker made it for another gateway", verdict.OpenEntry, func(w *observe.World) { w.Now, w.Attempt.GatewayUID = start.Add(time.Hour), uid(73) }, verdict.DeleteState, "Restarting", "Secret/tsunaro-system/lab-gw-state", ""},
	{"a state that was used", unnamed, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"a key beside it", unnamed, func(w *observe.World) { w.Auth = observe.Known(observe.Object{}) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"an object under one of its names", unnamed, func(w *observe.World) {
		w.Nine[3] = observe.Known(observe.Member{UID: uid(60), Result: verify.Result{State: verify.WrongUID, Path: "metadata.labels[x]"}})
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-coredns metadata.labels[x]", "kubectl delete configmap lab-gw-coredns" + ns},
	{"the key has expired", expired, nothing, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"a second earlier", expired, func(w *observe.World) { w.Now = w.Now.Add(-time.Second) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"with the process that asked for it, too", verdict.Mint, func(w *observe.World) { w.Now = w.Now.Add(24 * time.Hour) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"and with what it got", verdict.CreateAuth, func(w *observe.World) { w.Now = w.Now.Add(24 * time.Hour) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"the state was used", expired, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"Tailscale has run", expired, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Tailscale = observe.Started }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0 status.containerStatuses[tailscale]", "kubectl delete pod lab-gw-0" + ns},
	{"also in a Pod that is going", expired, func(w *observe.World) {
		pod(w, func(p *observe.Pod) { p.Tailscale, p.Deleting = observe.Started, true })
	}, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0 status.containerStatuses[tailscale]", "kubectl delete pod lab-gw-0" + ns},
	{"a Pod that nobody scheduled", expired, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Tailscale = observe.Unreported }) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"somebody else's Pod", expired, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(74) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"one of the nine is another", expired, func(w *observe.World) {
		member(w, 1, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Different, "rules" })
	}, verdict.None, "FreshBlocked", "Role/tsunaro-system/lab-gw rules", "kubectl delete role lab-gw" + ns},
	{"or older", expired, func(w *observe.World) { member(w, 1, func(m *observe.Member) { m.Result.State = verify.Older }) }, verdict.None, "FreshBlocked", "Role/tsunaro-system/lab-gw", "kubectl delete role lab-gw" + ns},
	{"the engine is behind", expired, func(w *observe.World) { member(w, 8, func(m *observe.Member) { m.Result.State = verify.Behind }) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"unknown Pods", expired, func(w *observe.World) { w.Pods = observe.Unknown[[]observe.Pod](observe.Denied) }, verdict.None, "EvidenceUnavailable", "Pod/tsunaro-system/lab-gw-0", ""},
	{"the StatefulSet first", closed, nothing, verdict.DeleteObject, "Restarting", "StatefulSet/tsunaro-system/lab-gw", ""},
	{"then its Pod is awaited", closed, func(w *observe.World) { w.Nine[8] = observe.Absent[observe.Member]() }, verdict.None, "Restarting", "Pod/tsunaro-system/lab-gw-0", ""},
	{"a StatefulSet that is going", closed, func(w *observe.World) { member(w, 8, func(m *observe.Member) { m.Deleting = true }) }, verdict.None, "Restarting", "StatefulSet/tsunaro-system/lab-gw", ""},
	{"then the others", closed, func(w *observe.World) {
		w.Nine[8], w.Pods = observe.Absent[observe.Member](), observe.Known([]observe.Pod(nil))
	}, verdict.DeleteObject, "Restarting", "PodDisruptionBudget/tsunaro-system/lab-gw", ""},
	{"the state last", closed, func(w *observe.World) { w.Nine, w.Pods = nobody(), observe.Known([]observe.Pod(nil)) }, verdict.DeleteState, "Restarting", "Secret/tsunaro-system/lab-gw-state", ""},
	{"suspended meanwhile", closed, suspend, verdict.None, "Suspended", "", ""},
}
