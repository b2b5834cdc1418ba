package verdict_test

import (
	"slices"
	"time"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
)

// From the open entry to the completion receipt.
var bootstrapRows = []row{
	{"nothing applied yet", open, nothing, verdict.None, "AwaitingResources", "", ""},
	// REQ: LC-08 (B26)
	{"a state Secret that holds something", open, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"something foreign", open, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Foreign }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"that nobody can write to", open, func(w *observe.World) {
		edit(&w.State, func(s *observe.State) { s.Content, s.Immutable = proof.Foreign, true })
	}, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state immutable", "kubectl delete secret lab-gw-state" + ns},
	{"that is being deleted", open, func(w *observe.World) {
		edit(&w.State, func(s *observe.State) { s.Content, s.Deleting = proof.Foreign, true })
	}, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.deletionTimestamp", "kubectl delete secret lab-gw-state" + ns},

	// REQ: LC-16
	{"one missing", verdict.SwapMinting, func(w *observe.World) { w.Nine[7] = observe.Absent[observe.Member]() }, verdict.None, "Provisioning", "PodDisruptionBudget/tsunaro-system/lab-gw", ""},
	{"the engine is behind", verdict.SwapMinting, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Behind, "spec.x" })
	}, verdict.None, "Provisioning", "StatefulSet/tsunaro-system/lab-gw", ""},
	{"a wrong UID", verdict.SwapMinting, func(w *observe.World) {
		member(w, 0, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.WrongUID, "metadata.labels[x]" })
	}, verdict.None, "FreshBlocked", "ServiceAccount/tsunaro-system/lab-gw metadata.labels[x]", "kubectl delete serviceaccount lab-gw" + ns},
	{"older than the state", verdict.SwapMinting, func(w *observe.World) {
		member(w, 1, func(m *observe.Member) {
			m.Result.State, m.Result.Path = verify.Older, "metadata.creationTimestamp"
		})
	}, verdict.None, "FreshBlocked", "Role/tsunaro-system/lab-gw metadata.creationTimestamp", "kubectl delete role lab-gw" + ns},
	{"different, whatever else is missing", verdict.SwapMinting, func(w *observe.World) {
		w.Nine[0] = observe.Absent[observe.Member]()
		member(w, 6, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Different, "spec.type" })
	}, verdict.None, "FreshBlocked", "Service/tsunaro-system/lab-gw-lb spec.type", "kubectl delete service lab-gw-lb" + ns},
	{"on its way out", verdict.SwapMinting, func(w *observe.World) { member(w, 2, func(m *observe.Member) { m.Deleting = true }) }, verdict.None, "Provisioning", "RoleBinding/tsunaro-system/lab-gw", ""},
	{"not compared", verdict.SwapMinting, func(w *observe.World) { member(w, 2, func(m *observe.Member) { m.Result.State = 0 }) }, verdict.None, "FreshBlocked", "RoleBinding/tsunaro-system/lab-gw", "kubectl delete rolebinding lab-gw" + ns},
	{"unknown", verdict.SwapMinting, func(w *observe.World) { w.Nine[3] = observe.Unknown[observe.Member](observe.Denied) }, verdict.None, "EvidenceUnavailable", "ConfigMap/tsunaro-system/lab-gw-coredns", ""},

	// REQ: LC-11
	{"no Pod yet", verdict.SwapMinting, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod(nil)) }, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"a second Pod", verdict.SwapMinting, func(w *observe.World) {
		edit(&w.Pods, func(p *[]observe.Pod) { *p = append(slices.Clone(*p), observe.Pod{Name: "spy", Owner: (*p)[0].Owner}) })
	}, verdict.None, "FreshBlocked", "Pod/tsunaro-system/spy", "kubectl delete pod spy" + ns},
	{"a Pod of another StatefulSet", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(70) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"a Pod with the UID of another state", verdict.SwapMinting, func(w *observe.World) {
		pod(w, func(p *observe.Pod) { p.Labels = map[string]string{api.LabelGatewayUID: p.Labels[api.LabelGatewayUID]} })
	}, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"with another account", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.ServiceAccount = "default" }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"whose Tailscale has started", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Tailscale = observe.Started }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0 status.containerStatuses[tailscale]", "kubectl delete pod lab-gw-0" + ns},
	{"whose check fails", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Preflight = observe.Failed }) }, verdict.None, "RuntimeNotReady", "", ""},
	{"whose check runs", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Preflight = observe.Pending }) }, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"of which the kubelet says nothing", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Tailscale = observe.Unreported }) }, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"that is going", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Deleting = true }) }, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"the Pod is looked at again before the mint", verdict.Mint, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(70) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"and before the Secret that it waits for", verdict.CreateAuth, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(70) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"and so are the nine", verdict.Mint, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Different, "spec.x" })
	}, verdict.None, "FreshBlocked", "StatefulSet/tsunaro-system/lab-gw spec.x", "kubectl delete statefulset lab-gw" + ns},

	// REQ: LC-09, LC-12, MT-04
	{"another process's mint", unasked, nothing, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"asked already", verdict.Mint, func(w *observe.World) { w.Attempt.Minting.Asked = true }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"an entry that was swapped by somebody else", verdict.Mint, func(w *observe.World) { entry(w, "mint_expires", "2026-11-30T12:00:01Z") }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"the gateway has changed", verdict.Mint, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Generation++ }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"status and metadata of it have", verdict.Mint, func(w *observe.World) { g, _ := w.Gateway.Get(); g.ResourceVersion = "777" }, verdict.Mint, "Provisioning", "Tailnet/home", ""},
	{"the Tailnet has changed", verdict.CreateAuth, func(w *observe.World) { tn, _ := w.Tailnet.Get(); tn.Spec.APIURL = "https://other.example" }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"between key and record", verdict.CreateAuthReceipt, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Generation++ }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"between record and completion", verdict.CreateFresh, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Generation++ }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt gateway", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"of the Tailnet", verdict.CreateFresh, func(w *observe.World) { tn, _ := w.Tailnet.Get(); tn.Generation++ }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt tailnet", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"the state was filled without a key", verdict.Mint, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"another state Secret", verdict.Mint, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.UID = uid(71) }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state", ""},
	{"no state Secret", verdict.Mint, func(w *observe.World) { w.State = observe.Absent[observe.State]() }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state", ""},
	{"no state Secret, and the entry is open", open, func(w *observe.World) { w.State = observe.Absent[observe.State]() }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"another state Secret, and the entry is open", open, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.UID = uid(71) }) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"a late minter's key is not used twice", expired, func(w *observe.World) { w.Auth = observe.Known(observe.Object{UID: uid(72), Revision: "1"}) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},

	// REQ: MT-02, MT-03, MT-04, MT-07
	{"a Secret of the name, not of our answer", verdict.CreateAuth, func(w *observe.World) { w.Auth = observe.Known(observe.Object{UID: uid(72), Revision: "1"}) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"the Secret's metadata were edited", verdict.CreateAuthReceipt, func(w *observe.World) { edit(&w.Auth, func(o *observe.Object) { o.Revision = "777" }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"a Secret whose maker is no more", verdict.CreateAuthReceipt, forget, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"a Secret whose key has expired", verdict.CreateAuthReceipt, func(w *observe.World) { w.Now = start.Add(24 * time.Hour) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"a recorded one whose maker is no more", verdict.CreateFresh, forget, verdict.CreateFresh, "Provisioning", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
	{"a record that cannot be read", verdict.CreateFresh, func(w *observe.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Err = receipt.ErrAuth }) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt data[receipt.json]", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"without our label", verdict.CreateFresh, func(w *observe.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Labels = nil }) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"that can be changed", verdict.CreateFresh, func(w *observe.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Immutable = false }) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt immutable", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"of another expiry than the entry's", verdict.CreateFresh, func(w *observe.World) { entry(w, "mint_expires", "2026-11-30T12:00:01Z") }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt key.expires", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"of another Secret", verdict.CreateFresh, func(w *observe.World) { edit(&w.Auth, func(o *observe.Object) { o.UID = uid(72) }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.resourceVersion", "kubectl delete secret lab-gw-auth" + ns},
	{"whose Secret is gone", verdict.CreateFresh, func(w *observe.World) { w.Auth = observe.Absent[observe.Object]() }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"whose key has expired", verdict.CreateFresh, func(w *observe.World) { w.Now = start.Add(24 * time.Hour) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.annotations[tsunaro.io/key-expires]", "kubectl delete secret lab-gw-auth" + ns},
	{"the node has registered meanwhile", verdict.CreateFresh, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.CreateFresh, "Provisioning", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
	{"one of the nine changed at the last moment", verdict.CreateFresh, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Different, "spec.x" })
	}, verdict.None, "FreshBlocked", "StatefulSet/tsunaro-system/lab-gw spec.x", ""},
	{"or went", verdict.CreateFresh, func(w *observe.World) { w.Nine[2] = observe.Absent[observe.Member]() }, verdict.None, "FreshBlocked", "RoleBinding/tsunaro-system/lab-gw", ""},
	{"or the engine is behind", verdict.CreateFresh, func(w *observe.World) { member(w, 8, func(m *observe.Member) { m.Result.State = verify.Behind }) }, verdict.None, "Provisioning", "StatefulSet/tsunaro-system/lab-gw", ""},
	// REQ: LC-20
	{"complete, and the receipt is lost", ready, func(w *observe.World) { w.Fresh = observe.Absent[observe.Completion]() }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
	{"and so is the state", ready, func(w *observe.World) {
		w.Fresh, w.State = observe.Absent[observe.Completion](), observe.Absent[observe.State]()
		w.Auth, w.AuthReceipt = observe.Absent[observe.Object](), observe.Absent[observe.AuthRecord]()
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
}
