package verdict_test

import (
	"net/netip"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

func spec(change func(*v1alpha1.TailnetGatewaySpec)) func(*observe.World) {
	return func(w *observe.World) {
		g, _ := w.Gateway.Get()
		change(&g.Spec)
		g.Generation++
	}
}

func completion(change func(*observe.Completion)) func(*observe.World) {
	return func(w *observe.World) { edit(&w.Fresh, change) }
}

const freshName = "ConfigMap/tsunaro-system/lab-gw-fresh"

// What a completed gateway is known by.
var completeRows = []row{
	{"the last step", verdict.SwapComplete, nothing, verdict.SwapComplete, "RuntimeNotReady", "", ""},
	{"by any process", verdict.SwapComplete, forget, verdict.SwapComplete, "RuntimeNotReady", "", ""},
	// REQ: LC-21
	{"a lost entry is rewritten", ready, func(w *observe.World) { w.Registry = observe.Known(observe.Registry{Revision: "9"}) }, verdict.RewriteEntry, "FreshRuntimeReady", "", ""},
	{"with the whole registry", restored, nothing, verdict.RewriteEntry, "FreshRuntimeReady", "", ""},
	{"a broken one is", ready, func(w *observe.World) { entry(w, "phase", "") }, verdict.RewriteEntry, "FreshRuntimeReady", "", ""},
	{"one that went back is", ready, func(w *observe.World) { entry(w, "phase", "open") }, verdict.SwapComplete, "FreshRuntimeReady", "", ""},
	{"not while terminating", restored, terminate, verdict.None, "Deleting", "TailnetGateway/lab-gw", ""},
	{"not without a state", restored, func(w *observe.World) { w.State = observe.Absent[observe.State]() }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state", ""},
	{"one of another state contradicts the receipt", ready, func(w *observe.World) { entry(w, "state_uid", uid(80)) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/tsunaro-bindings data.lab_gw_state_uid", "kubectl delete configmap tsunaro-bindings" + ns},
	{"it is rewritten whatever else is wrong", restored, func(w *observe.World) { w.Nine[0] = observe.Absent[observe.Member]() }, verdict.RewriteEntry, "FreshBlocked", "ServiceAccount/tsunaro-system/lab-gw", ""},

	// REQ: LC-13, LC-17
	{"a former receipt", ready, completion(func(c *observe.Completion) { c.Err, c.Receipt = receipt.ErrFormerFormat, receipt.Completion{} }), verdict.None, "IdentityChanged", freshName + " data[receipt.json]", ""},
	{"one of the future", ready, completion(func(c *observe.Completion) { c.Err, c.Receipt = receipt.ErrUnknownRule, receipt.Completion{} }), verdict.None, "FreshBlocked", freshName + " data[receipt.json]", ""},
	{"one under a former rule", ready, completion(func(c *observe.Completion) { c.Receipt.Rule = receipt.RuleV010 }), verdict.None, "FreshBlocked", freshName + " data[receipt.json]", ""},
	{"one that can be changed", ready, completion(func(c *observe.Completion) { c.Immutable = false }), verdict.None, "FreshBlocked", freshName + " immutable", ""},
	{"one that is going", ready, completion(func(c *observe.Completion) { c.Deleting = true }), verdict.None, "FreshBlocked", freshName + " metadata.deletionTimestamp", ""},
	{"one without our label", ready, completion(func(c *observe.Completion) { c.Labels = nil }), verdict.None, "FreshBlocked", freshName + " metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete configmap lab-gw-fresh" + ns},
	{"one of another gateway", ready, completion(func(c *observe.Completion) { c.Receipt.Gateway.UID = uid(81) }), verdict.None, "FreshBlocked", freshName + " gateway", ""},
	{"unknown", ready, func(w *observe.World) { w.Fresh = observe.Unknown[observe.Completion](observe.Denied) }, verdict.None, "EvidenceUnavailable", freshName, ""},

	// REQ: LC-15, MT-07, LC-14
	{"the state was replaced", ready, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.UID = uid(82) }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.uid", ""},
	{"the state is going", ready, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Deleting = true }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.deletionTimestamp", ""},
	{"the auth receipt is gone", ready, func(w *observe.World) { w.AuthReceipt = observe.Absent[observe.AuthRecord]() }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt", ""},
	{"or replaced", ready, func(w *observe.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.UID = uid(83) }) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt data[receipt.json]", ""},
	{"the auth Secret is gone", ready, func(w *observe.World) { w.Auth = observe.Absent[observe.Object]() }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"or its metadata were edited", ready, func(w *observe.World) { edit(&w.Auth, func(o *observe.Object) { o.Revision = "777" }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.resourceVersion", ""},
	{"the key's day is long over", ready, func(w *observe.World) { w.Now = start.Add(1000 * time.Hour) }, verdict.None, "FreshRuntimeReady", "", ""},
	{"another expiry was recorded", ready, func(w *observe.World) {
		edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Receipt.Expires = r.Receipt.Expires.Add(time.Second) })
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt data[receipt.json]", ""},
	{"the auth receipt is going", ready, func(w *observe.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Deleting = true }) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt metadata.deletionTimestamp", ""},
	{"the auth Secret is going", ready, func(w *observe.World) { edit(&w.Auth, func(o *observe.Object) { o.Deleting = true }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.deletionTimestamp", ""},
	{"unknown auth receipt", ready, func(w *observe.World) { w.AuthReceipt = observe.Unknown[observe.AuthRecord](observe.Denied) }, verdict.None, "EvidenceUnavailable", "ConfigMap/tsunaro-system/lab-gw-auth-receipt", ""},
	{"unknown auth Secret", ready, func(w *observe.World) { w.Auth = observe.Unknown[observe.Object](observe.Denied) }, verdict.None, "EvidenceUnavailable", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"unknown state", ready, func(w *observe.World) { w.State = observe.Unknown[observe.State](observe.Denied) }, verdict.None, "EvidenceUnavailable", "Secret/tsunaro-system/lab-gw-state", ""},

	{"one of the nine was replaced", ready, func(w *observe.World) { member(w, 8, func(m *observe.Member) { m.Retained = verify.Replaced }) }, verdict.None, "FreshBlocked", "StatefulSet/tsunaro-system/lab-gw metadata.uid", ""},
	{"has drifted", ready, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) {
			m.Retained, m.Result.State, m.Result.Path = verify.Different, verify.Different, "spec.template"
		})
	}, verdict.None, "FreshBlocked", "StatefulSet/tsunaro-system/lab-gw spec.template", ""},
	{"is missing", ready, func(w *observe.World) { w.Nine[5] = observe.Absent[observe.Member]() }, verdict.None, "FreshBlocked", "Service/tsunaro-system/lab-dns", ""},
	{"is going", ready, func(w *observe.World) { member(w, 5, func(m *observe.Member) { m.Deleting = true }) }, verdict.None, "FreshBlocked", "Service/tsunaro-system/lab-dns metadata.deletionTimestamp", ""},
	{"is unknown", ready, func(w *observe.World) { w.Nine[5] = observe.Unknown[observe.Member](observe.Denied) }, verdict.None, "EvidenceUnavailable", "Service/tsunaro-system/lab-dns", ""},
	// REQ: UP-01
	{"a pinned field was changed in Git", ready, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) {
			m.Result.State, m.Result.Path = verify.Different, "spec.template.spec.tolerations"
		})
	}, verdict.None, "FreshBlocked", "StatefulSet/tsunaro-system/lab-gw spec.template.spec.tolerations", ""},
	{"a mutable one, and the engine is behind", ready, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Behind, "spec.x" })
	}, verdict.None, "FreshRuntimeReady", "", ""},
	{"an identity field", ready, spec(func(s *v1alpha1.TailnetGatewaySpec) { s.Tags = []v1alpha1.Tag{"tag:other"} }), verdict.None, "IdentityChanged", "TailnetGateway/lab-gw spec.tags", ""},
	{"one of the Tailnet", ready, func(w *observe.World) {
		tn, _ := w.Tailnet.Get()
		tn.Spec.ControlURL = "https://other.example"
	}, verdict.None, "IdentityChanged", "Tailnet/home spec.controlURL", ""},
	{"another Tailnet of the name", ready, func(w *observe.World) { tn, _ := w.Tailnet.Get(); tn.UID = "other" }, verdict.None, "FreshBlocked", "Tailnet/home metadata.uid", ""},
	{"a mutable field", ready, spec(func(s *v1alpha1.TailnetGatewaySpec) { s.Routes.LAN = append(s.Routes.LAN, "10.1.0.0/16") }), verdict.None, "FreshRuntimeReady", "", ""},
	{"metadata and status", ready, func(w *observe.World) { g, _ := w.Gateway.Get(); g.ResourceVersion, g.Status.NodeID = "777", "9" }, verdict.None, "FreshRuntimeReady", "", ""},

	// REQ: DL-05, UP-03, ST-08
	{"hosts that are missing do not matter to Ready", ready, func(w *observe.World) { w.Hosts = observe.Absent[observe.Object]() }, verdict.None, "FreshRuntimeReady", "", ""},
	{"nor what cannot be rendered", ready, func(w *observe.World) {
		w.Render = observe.Unknown[observe.Render](observe.Denied)
		for i := range w.Nine {
			member(w, i, func(m *observe.Member) { m.Result = verify.Result{} })
		}
	}, verdict.None, "FreshRuntimeReady", "", ""},
}

// Whether the node runs and is the right one.
//
// REQ: LC-15, UP-05, MT-05, ST-07
var runtimeRows = []row{
	{"everything is right", ready, nothing, verdict.None, "FreshRuntimeReady", "", ""},
	{"no key", ready, func(w *observe.World) { w.APIKey = observe.Absent[observe.Accepted]() }, verdict.None, "APIKeyMissing", "Tailnet/home", ""},
	{"no Headscale", ready, func(w *observe.World) { w.Nodes = observe.Unknown[[]node.Node](observe.Unreachable) }, verdict.None, "EvidenceUnavailable", "Headscale/home", ""},
	{"unknown Pods", ready, func(w *observe.World) { w.Pods = observe.Unknown[[]observe.Pod](observe.Denied) }, verdict.None, "EvidenceUnavailable", "Pod/tsunaro-system/lab-gw-0", ""},
	{"no Pod", ready, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod(nil)) }, verdict.None, "RuntimeNotReady", "", ""},
	{"a Pod that is not ready", ready, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Ready = false }) }, verdict.None, "RuntimeNotReady", "", ""},
	{"one that is going", ready, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Deleting = true }) }, verdict.None, "RuntimeNotReady", "", ""},
	{"one of somebody else", ready, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(84) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"one with another account", ready, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.ServiceAccount = "other" }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"one with the labels of another state", ready, func(w *observe.World) {
		pod(w, func(p *observe.Pod) {
			p.Labels = map[string]string{api.LabelGatewayUID: p.Labels[api.LabelGatewayUID], api.LabelStateUID: uid(85)}
		})
	}, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"a second one beside it", ready, func(w *observe.World) {
		edit(&w.Pods, func(p *[]observe.Pod) { *p = append([]observe.Pod{{Name: "spy"}}, *p...) })
	}, verdict.None, "FreshBlocked", "Pod/tsunaro-system/spy", "kubectl delete pod spy" + ns},
	{"an older image and older routes than the template", ready, func(w *observe.World) {
		old := []netip.Prefix{netip.MustParsePrefix("10.99.0.0/24")}
		pod(w, func(p *observe.Pod) {
			p.Template = observe.Template{Images: map[string]string{"tailscale": "old"}, Routes: old}
		})
		registered(w, func(n *node.Node) { n.Advertised = old })
	}, verdict.None, "FreshRuntimeReady", "", ""},
	{"a node that advertises less than its Pod was started with", ready, func(w *observe.World) {
		registered(w, func(n *node.Node) { n.Advertised = n.Advertised[:1] })
	}, verdict.None, "RuntimeNotReady", "", ""},
	{"or more", ready, func(w *observe.World) {
		registered(w, func(n *node.Node) { n.Advertised = append(n.Advertised, netip.MustParsePrefix("10.1.0.0/16")) })
	}, verdict.None, "RuntimeNotReady", "", ""},
	{"in another order", ready, func(w *observe.World) {
		registered(w, func(n *node.Node) { n.Advertised = []netip.Prefix{n.Advertised[1], n.Advertised[0]} })
	}, verdict.None, "FreshRuntimeReady", "", ""},

	{"a state that cannot be read", ready, func(w *observe.World) {
		edit(&w.State, func(s *observe.State) { s.Readable, s.Identity = false, proof.State{} })
	}, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"no node", ready, func(w *observe.World) { w.Nodes = observe.Known([]node.Node(nil)) }, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"offline", ready, func(w *observe.World) { registered(w, func(n *node.Node) { n.Online = false }) }, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"with a suffix to its name (B23)", ready, func(w *observe.World) { registered(w, func(n *node.Node) { n.GivenName = "lab-gw-1" }) }, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"with other tags", ready, func(w *observe.World) { registered(w, func(n *node.Node) { n.Tags = nil }) }, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"two with its keys (B23)", ready, func(w *observe.World) {
		edit(&w.Nodes, func(n *[]node.Node) { twin := (*n)[0]; twin.ID = "8"; *n = append(*n, twin) })
	}, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"a stale twin beside it (B23)", ready, func(w *observe.World) {
		edit(&w.Nodes, func(n *[]node.Node) { *n = append(*n, node.Node{ID: "3", Name: "lab-gw", MachineKey: anyNode}) })
	}, verdict.None, "FreshRuntimeReady", "", ""},

	// REQ: MT-09
	{"the key is expired once the node is proven", verdict.ExpireKey, nothing, verdict.ExpireKey, "FreshRuntimeReady", "", ""},
	{"also if something else is not ready", verdict.ExpireKey, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Ready = false }) }, verdict.ExpireKey, "RuntimeNotReady", "", ""},
	{"not while the node is not proven", verdict.ExpireKey, func(w *observe.World) { registered(w, func(n *node.Node) { n.Online = false }) }, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"a node with another key is not proven", verdict.ExpireKey, func(w *observe.World) { registered(w, func(n *node.Node) { n.KeyID = "6" }) }, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"once the key is spent Headscale may have forgotten it", ready, func(w *observe.World) {
		w.KeyExpires = observe.Absent[time.Time]()
		registered(w, func(n *node.Node) { n.KeyID = "" })
	}, verdict.None, "FreshRuntimeReady", "", ""},
	{"not while that is unknown", ready, func(w *observe.World) {
		w.KeyExpires, w.Attempt.Spent = observe.Unknown[time.Time](observe.NotRead), ""
		registered(w, func(n *node.Node) { n.KeyID = "" })
	}, verdict.None, "IdentityUnproven", "Secret/tsunaro-system/lab-gw-state", ""},
	{"nor is anything expired then", verdict.ExpireKey, func(w *observe.World) { w.KeyExpires = observe.Unknown[time.Time](observe.NotRead) }, verdict.None, "FreshRuntimeReady", "", ""},
	{"it is asked for once", verdict.ExpireKey, func(w *observe.World) { w.Attempt.Spent = "7" }, verdict.None, "FreshRuntimeReady", "", ""},
	{"not where Headscale's clock is ahead, and the key was expired early", verdict.ExpireKey, func(w *observe.World) {
		w.KeyExpires = observe.Known(start.Add(time.Minute))
	}, verdict.None, "FreshRuntimeReady", "", ""},
	{"and not for a key that has had its day", verdict.ExpireKey, func(w *observe.World) { w.Now = start.Add(24 * time.Hour) }, verdict.None, "FreshRuntimeReady", "", ""},
	{"a key that expired before anything registered", verdict.ExpireKey, func(w *observe.World) {
		w.Now = start.Add(24 * time.Hour)
		edit(&w.State, func(s *observe.State) { s.Content, s.Readable = proof.Empty, false })
	}, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.annotations[tsunaro.io/key-expires]", ""},
}

func registered(w *observe.World, change func(*node.Node)) {
	edit(&w.Nodes, func(nodes *[]node.Node) {
		n := (*nodes)[0]
		change(&n)
		*nodes = []node.Node{n}
	})
}
