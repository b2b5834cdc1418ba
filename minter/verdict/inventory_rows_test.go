package verdict_test

import (
	"strings"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/model"
)

// What a bootstrap starts from, and its inventory.
var inventoryRows = []row{
	// REQ: LC-07, ST-09
	{"a refused spec", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, strings.Replace(gatewayText, "loadBalancerIP: 10.99.0.53", "loadBalancerIP: 10.98.0.53", 1), tailnetText, hostsText))
	}, verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.loadBalancerIP lb-in-cidr", ""},
	{"adoption", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, gatewayText+"  adoption: {nodeId: \"7\", objects: [{apiVersion: apps/v1, kind: StatefulSet, name: lab-gw, uid: "+uid(1)+"}, {apiVersion: v1, kind: Secret, name: lab-gw-state, uid: "+uid(2)+"}]}\n", tailnetText, hostsText))
	}, verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.adoption adoption-unsupported", ""},
	{"a bad line of hosts", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, gatewayText, tailnetText, strings.Replace(hostsText, "192.168.10.7 app", "192.168.10.7x app", 1)))
	}, verdict.None, "HostsRefused", "ConfigMap/tsunaro-system/tailnet-dns-hosts data.hosts:1 hosts-address", ""},
	// REQ: DL-08
	{"hosts of another Tailnet", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, gatewayText, tailnetText, strings.Replace(hostsText, "tailnet: home", "tailnet: away", 1)))
	}, verdict.None, "HostsRefused", "ConfigMap/tsunaro-system/tailnet-dns-hosts metadata.labels[tsunaro.io/tailnet] hosts-owner", ""},
	{"hosts without the key", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, gatewayText, tailnetText, strings.Replace(hostsText, "{hosts:", "{host:", 1)))
	}, verdict.None, "HostsMissing", "ConfigMap/tsunaro-system/tailnet-dns-hosts", ""},
	{"no hosts", verdict.CreateState, func(w *observe.World) { w.Hosts = observe.Absent[observe.Object]() }, verdict.None, "HostsMissing", "ConfigMap/tsunaro-system/tailnet-dns-hosts", ""},
	{"unknown hosts", verdict.CreateState, func(w *observe.World) { w.Hosts = observe.Unknown[observe.Object](observe.Denied) }, verdict.None, "EvidenceUnavailable", "ConfigMap/tsunaro-system/tailnet-dns-hosts", ""},
	{"unknown egresses", verdict.CreateState, func(w *observe.World) { w.Render = observe.Unknown[observe.Render](observe.Denied) }, verdict.None, "EvidenceUnavailable", "TailnetEgress/tsunaro-system", ""},
	{"no key", verdict.CreateState, func(w *observe.World) { w.APIKey = observe.Absent[observe.Accepted]() }, verdict.None, "APIKeyMissing", "Tailnet/home", ""},
	{"an unknown key", verdict.CreateState, func(w *observe.World) { w.APIKey = observe.Unknown[observe.Accepted](observe.Unreachable) }, verdict.None, "EvidenceUnavailable", "Headscale/home", ""},

	// REQ: LC-19
	{"a peer with the same hostname", verdict.CreateState, peer("name: lab-gw}", "name: a-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.hostname hostname-conflict", ""},
	{"whatever their order", verdict.CreateState, peer("name: lab-gw}", "name: z-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.hostname hostname-conflict", ""},
	{"a peer with the same address", verdict.CreateState, peer("name: lab-gw}", "name: z-gw}", "lab.example", "z.example", "lab-dns", "z-dns", "10.96.0.53", "10.96.0.54"), verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.loadBalancerIP address-conflict", ""},
	{"a peer that overlaps a route alone", verdict.CreateState, peer("name: lab-gw}", "name: z-gw}", "lab.example", "z.example", "lab-dns", "z-dns", "10.96.0.53", "10.96.0.54", "10.99.0.53", "10.99.0.54"), verdict.CreateState, "Provisioning", "Secret/tsunaro-system/lab-gw-state", ""},
	{"a peer that came before the mint", verdict.Mint, peer("name: lab-gw}", "name: z-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.hostname hostname-conflict", ""},
	{"a peer that came after it", verdict.CreateAuth, peer("name: lab-gw}", "name: z-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.CreateAuth, "Provisioning", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"a completed gateway keeps what it has", ready, peer("name: lab-gw}", "name: z-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.None, "FreshRuntimeReady", "", ""},
	{"a node of the wanted name", verdict.CreateState, nodeNamed("lab-gw", "lab-gw"), verdict.None, "FreshBlocked", "HeadscaleNode/4", "headscale nodes delete --force --identifier 4"},
	{"one that holds only the given name", verdict.CreateState, nodeNamed("other", "lab-gw"), verdict.None, "FreshBlocked", "HeadscaleNode/4", "headscale nodes delete --force --identifier 4"},
	{"one that came before the mint", verdict.Mint, nodeNamed("lab-gw", "lab-gw-1"), verdict.None, "FreshBlocked", "HeadscaleNode/4", "headscale nodes delete --force --identifier 4"},
	{"another node", verdict.CreateState, nodeNamed("lab-gw-2", "lab-gw-2"), verdict.CreateState, "Provisioning", "Secret/tsunaro-system/lab-gw-state", ""},
	{"unknown nodes", verdict.CreateState, func(w *observe.World) { w.Nodes = observe.Unknown[[]node.Node](observe.Unreachable) }, verdict.None, "EvidenceUnavailable", "Headscale/home", ""},
	{"unknown peers", verdict.CreateState, func(w *observe.World) { w.Peers = observe.Unknown[[]model.Inputs](observe.Denied) }, verdict.None, "EvidenceUnavailable", "TailnetGateway", ""},

	// REQ: LC-10, LC-11
	{"one of the nine is there already", verdict.CreateState, func(w *observe.World) {
		w.Nine[4] = observe.Known(observe.Member{UID: uid(60)})
	}, verdict.None, "FreshBlocked", "Service/tsunaro-system/lab-gw", "kubectl delete service lab-gw" + ns},
	{"and is just going", verdict.CreateState, func(w *observe.World) {
		w.Nine[5] = observe.Known(observe.Member{UID: uid(60), Deleting: true})
	}, verdict.None, "Provisioning", "Service/tsunaro-system/lab-dns", ""},
	{"a Pod of its name", verdict.CreateState, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod{{Name: "lab-gw-0"}}) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"a Pod with its label", verdict.CreateState, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod{{Name: "spy"}}) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/spy", "kubectl delete pod spy" + ns},
	{"a Pod that is just going", verdict.CreateState, func(w *observe.World) {
		w.Pods = observe.Known([]observe.Pod{{Name: "lab-gw-0", Deleting: true}})
	}, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"an auth Secret", verdict.CreateState, func(w *observe.World) { w.Auth = observe.Known(observe.Object{UID: uid(60)}) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"an auth receipt", verdict.CreateState, func(w *observe.World) { w.AuthReceipt = observe.Known(observe.AuthRecord{}) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"a staged receipt", verdict.CreateState, func(w *observe.World) { w.FreshNext = observe.Known(observe.Object{}) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh-next", "kubectl delete configmap lab-gw-fresh-next" + ns},
	{"a completion receipt of nobody", verdict.CreateState, func(w *observe.World) {
		w.Fresh = observe.Known(observe.Completion{Err: receipt.ErrCompletion})
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete configmap lab-gw-fresh" + ns},
	{"one of ours that cannot be read", verdict.SwapComplete, func(w *observe.World) {
		edit(&w.Fresh, func(c *observe.Completion) { c.Err, c.Receipt = receipt.ErrCompletion, receipt.Completion{} })
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh data[receipt.json]", ""},
	{"a broken entry", open, func(w *observe.World) { entry(w, "phase", "opened") }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/tsunaro-bindings data.lab_gw_phase", "kubectl delete configmap tsunaro-bindings" + ns},
}

func peer(pairs ...string) func(*observe.World) {
	return func(w *observe.World) {
		r := renderOf(t0, strings.NewReplacer(pairs...).Replace(gatewayText), tailnetText, "")
		w.Peers = observe.Known([]model.Inputs{r.Gateway.Inputs})
	}
}

func nodeNamed(name, given string) func(*observe.World) {
	return func(w *observe.World) {
		w.Nodes = observe.Known([]node.Node{{ID: "4", Name: name, GivenName: given, MachineKey: anyNode}})
	}
}
