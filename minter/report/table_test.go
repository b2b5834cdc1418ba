package report_test

import (
	"net/netip"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/report"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/digest"
)

// row is one line of the truth table: what happens to a running gateway, and what
// one condition says then: Type=Status/Reason, and its message; "" if it is absent.
type row struct {
	why    string
	change func(*observe.World)
	want   string
	says   string
}

const absent = ""

// Texts that several rows begin with.
const (
	outOfSync = "The template of StatefulSet/tsunaro-system/lab-gw is not the render of the current spec."
	untold    = "What the Pod should run cannot be told: "
)

func unknown[T any](at func(*observe.World) *observe.Fact[T]) func(*observe.World) {
	return func(w *observe.World) { *at(w) = observe.Unknown[T](observe.Unreachable) }
}

func gone[T any](at func(*observe.World) *observe.Fact[T]) func(*observe.World) {
	return func(w *observe.World) { *at(w) = observe.Absent[T]() }
}

func theRegistry(w *observe.World) *observe.Fact[observe.Registry] { return &w.Registry }
func theState(w *observe.World) *observe.Fact[observe.State]       { return &w.State }
func theFresh(w *observe.World) *observe.Fact[observe.Completion]  { return &w.Fresh }
func theNodes(w *observe.World) *observe.Fact[[]node.Node]         { return &w.Nodes }
func thePods(w *observe.World) *observe.Fact[[]observe.Pod]        { return &w.Pods }
func theHosts(w *observe.World) *observe.Fact[observe.Object]      { return &w.Hosts }
func theRender(w *observe.World) *observe.Fact[observe.Render]     { return &w.Render }
func theTailnet(w *observe.World) *observe.Fact[*v1alpha1.Tailnet] { return &w.Tailnet }
func nineth(i int) func(*observe.World) *observe.Fact[observe.Member] {
	return func(w *observe.World) *observe.Fact[observe.Member] { return &w.Nine[i] }
}

func nothing(*observe.World) {}

func suspend(w *observe.World) {
	gateway(func(g *v1alpha1.TailnetGateway) { on := true; g.Spec.Suspend = &on })(w)
}

func terminate(w *observe.World) {
	gateway(func(g *v1alpha1.TailnetGateway) { g.DeletionTimestamp = &metav1.Time{Time: start} })(w)
}

// rendered makes a rendering of changed texts.
func rendered(gatewayPairs, hostsPairs []string) func(*observe.World) {
	return func(w *observe.World) {
		g := decoded[v1alpha1.TailnetGateway](&testing.T{}, strings.NewReplacer(gatewayPairs...).Replace(gatewayText))
		t := decoded[v1alpha1.Tailnet](&testing.T{}, tailnetText)
		hosts := decoded[corev1.ConfigMap](&testing.T{}, strings.NewReplacer(hostsPairs...).Replace(hostsText))
		w.Render = observe.Known(observe.RenderOf(g, t, hosts, nil))
	}
}

var rows = []row{
	// REQ: ST-01, ST-08
	{"a running gateway", nothing, "Ready=True/FreshRuntimeReady", "The node has its proven identity, and lab-gw-0 is running and ready."},
	{"a running gateway", nothing, "Reconciling=", absent},
	{"a running gateway", nothing, "Stalled=", absent},
	{"a running gateway", nothing, "StaleNodes=Unknown/ExternallyManaged", "Older nodes of the same name are listed in status.staleNodeIds and never deleted."},
	{"a running gateway", nothing, "ClusterDNSForward=Unknown/ExternallyManaged", "The cluster's own DNS is not changed from here."},
	{"something is awaited", all(bootstrapping(registry.Open), gone(nineth(2))), "Reconciling=True/Awaiting", "Ready waits: Provisioning."},
	{"something is awaited", all(bootstrapping(registry.Open), gone(nineth(2))), "Stalled=", absent},
	{"something is in the way", gone(theState), "Stalled=True/Blocked", "Ready will not come by itself: FreshBlocked."},
	{"something is in the way", gone(theState), "Reconciling=", absent},
	{"something is unknown", unknown(theNodes), "Ready=Unknown/EvidenceUnavailable", "Headscale/home could not be read, so nothing is claimed about the gateway."},
	{"the message says how to clear it", all(bootstrapping(registry.Open), member(4, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.WrongUID, "metadata.labels[x]" })),
		"Ready=False/FreshBlocked", "Service/tsunaro-system/lab-gw is not bound to this gateway and its state, so nothing is touched. The first difference is at metadata.labels[x]. If nobody needs it, remove it: `kubectl delete service lab-gw --namespace tsunaro-system`."},
	{"a key that may exist", bootstrapping(registry.Minting), "Ready=False/FreshBlocked",
		"Secret/tsunaro-system/lab-gw-auth is missing, and a key may exist that was made for it, so nothing is touched. The attempt is undone by itself when that key has expired, after 2026-11-30T12:00:00Z."},

	// Bound.
	{"open", bootstrapping(registry.Open), "Bound=True/BindingOpen", "The resources may be created now."},
	{"minting", bootstrapping(registry.Minting), "Bound=True/BindingMinting", "The resources are verified, and the node's key is being made."},
	{"complete", nothing, "Bound=True/BindingComplete", "The resources belong to this gateway and its state for good."},
	{"no registry", gone(theRegistry), "Bound=False/NotBound", "The registry holds no entry for this gateway and its state."},
	{"of another state", all(bootstrapping(registry.Open), func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.UID = uid(9) }) }), "Bound=False/NotBound", "The registry holds no entry for this gateway and its state."},
	{"an unknown registry", unknown(theRegistry), "Bound=Unknown/EvidenceUnavailable", "ConfigMap/tsunaro-system/tsunaro-bindings could not be read."},
	{"an unknown state", unknown(theState), "Bound=Unknown/EvidenceUnavailable", "Secret/tsunaro-system/lab-gw-state could not be read."},
	{"being undone", all(bootstrapping(registry.Minting), gone(theRegistry), later), "Bound=False/BindingClosed", "The entry is closed, so that nothing can be created again."},
	{"without its Tailnet", gone(theTailnet), "Bound=True/BindingComplete", "The resources belong to this gateway and its state for good."},

	// Registered.
	{"registered", nothing, "Registered=True/NodeRegistered", "Headscale knows the gateway as node 7."},
	{"offline", registered(func(n *node.Node) { n.Online = false }), "Registered=True/NodeRegistered", "Headscale knows the gateway as node 7."},
	{"not yet", bootstrapping(registry.Open), "Registered=False/NotRegistered", "Headscale has no node that is proven to be this gateway by its keys, name, tags and address."},
	{"no node", func(w *observe.World) { w.Nodes = observe.Known([]node.Node(nil)) }, "Registered=False/NotRegistered", "Headscale has no node that is proven to be this gateway by its keys, name, tags and address."},
	{"the state is lost", gone(theState), "Registered=False/NotRegistered", "Headscale has no node that is proven to be this gateway by its keys, name, tags and address."},
	{"two of them (B23)", func(w *observe.World) {
		edit(&w.Nodes, func(n *[]node.Node) { twin := (*n)[0]; twin.ID = "8"; *n = append(*n, twin) })
	}, "Registered=False/NodeAmbiguous", "Headscale has several nodes that claim the gateway's keys or name."},
	{"a suffix to its name (B23)", registered(func(n *node.Node) { n.GivenName = "lab-gw-1" }), "Registered=False/NodeAmbiguous", "Headscale has several nodes that claim the gateway's keys or name."},
	{"a suffix to its name (B23)", registered(func(n *node.Node) { n.GivenName = "lab-gw-1" }), "Ready=False/IdentityUnproven", "Headscale shows no single online node with the keys in Secret/tsunaro-system/lab-gw-state. Node 7 has them, but its name is not the gateway's hostname, which an older node may hold."},
	{"unknown nodes", unknown(theNodes), "Registered=Unknown/EvidenceUnavailable", "Headscale/home could not be read."},
	{"unknown state", unknown(theState), "Registered=Unknown/EvidenceUnavailable", "Secret/tsunaro-system/lab-gw-state could not be read."},
	{"unknown receipt", unknown(theFresh), "Registered=Unknown/EvidenceUnavailable", "ConfigMap/tsunaro-system/lab-gw-fresh could not be read."},
	{"one of the nine has drifted", gone(nineth(0)), "Registered=True/NodeRegistered", "Headscale knows the gateway as node 7."},

	// REQ: UP-06
	{"all approved", nothing, "RoutesInSync=True/Approved", "Headscale has approved every route that the Pod advertises."},
	{"one is not", registered(func(n *node.Node) { n.Approved = n.Approved[1:] }), "RoutesInSync=False/NotApproved", "Headscale has not approved 192.168.10.0/24."},
	{"Ready does not mind", registered(func(n *node.Node) { n.Approved = nil }), "Ready=True/FreshRuntimeReady", "The node has its proven identity, and lab-gw-0 is running and ready."},
	{"more than is wanted", registered(func(n *node.Node) { n.Approved = append(n.Approved, other) }), "RoutesInSync=True/Approved", "Headscale has approved every route that the Pod advertises. Approved but no longer wanted: 10.1.0.0/16."},
	{"the Pod advertises what the spec no longer wants", all(older, registered(func(n *node.Node) { n.Approved, n.Advertised = []netip.Prefix{lb, other}, []netip.Prefix{other, lb} })), "RoutesInSync=True/Approved", "Headscale has approved every route that the Pod advertises. Approved but no longer wanted: 10.1.0.0/16."},
	{"not ready", pod(func(p *observe.Pod) { p.Ready = false }), "RoutesInSync=Unknown/NotReady", "Nothing is claimed about routes until the gateway is ready."},
	{"unknown nodes", unknown(theNodes), "RoutesInSync=Unknown/NotReady", "Nothing is claimed about routes until the gateway is ready."},

	// REQ: DL-05, DL-09
	{"nothing is claimed about the zone", nothing, "DNSReady=Unknown/DNSNotCompared", "Nothing is claimed about the live zone until it has been compared with its sources."},
	{"not complete", bootstrapping(registry.Open), "DNSReady=False/DNSUpdateBlocked", "ConfigMap/tsunaro-system/lab-gw-coredns is left alone: the gateway is not complete yet."},
	{"no hosts", gone(theHosts), "DNSReady=False/HostsMissing", "ConfigMap/tsunaro-system/tailnet-dns-hosts does not exist, or has no key hosts. The last zone stays live."},
	{"no hosts, and Ready does not mind", gone(theHosts), "Ready=True/FreshRuntimeReady", "The node has its proven identity, and lab-gw-0 is running and ready."},
	{"hosts without the key", rendered(nil, []string{"{hosts:", "{other:"}), "DNSReady=False/HostsMissing", "ConfigMap/tsunaro-system/tailnet-dns-hosts does not exist, or has no key hosts. The last zone stays live."},
	{"bad hosts", rendered(nil, []string{"192.168.10.7 app", "192.168.10.07 app"}), "DNSReady=False/HostsRefused", "ConfigMap/tsunaro-system/tailnet-dns-hosts is refused: data.hosts:1 must begin with a canonical unicast IPv4 or IPv6 address: not unspecified, loopback, link-local, multicast, broadcast or IPv4-mapped, no zone [hosts-address]. The last zone stays live."},
	{"bad hosts, and the nine do not mind", rendered(nil, []string{"192.168.10.7 app", "192.168.10.07 app"}), "InSync=True/AsRendered", "The nine resources are as rendered."},
	{"unknown receipt", unknown(theFresh), "DNSReady=Unknown/EvidenceUnavailable", "ConfigMap/tsunaro-system/lab-gw-fresh could not be read."},

	// REQ: UP-03, UP-07
	{"current", nothing, "WorkloadCurrent=True/PodCurrent", "lab-gw-0 runs the current template."},
	{"an older image", pod(func(p *observe.Pod) { p.Template.Images = map[string]string{"tailscale": "old"} }), "WorkloadCurrent=False/PodTemplateStale", "lab-gw-0 runs an older template: delete it when an interruption is convenient."},
	{"an older image, and Ready does not mind", pod(func(p *observe.Pod) { p.Template.Images = map[string]string{"tailscale": "old"} }), "Ready=True/FreshRuntimeReady", "The node has its proven identity, and lab-gw-0 is running and ready."},
	{"older routes", older, "WorkloadCurrent=False/PodTemplateStale", "lab-gw-0 runs an older template: delete it when an interruption is convenient. Not advertised yet: 192.168.10.0/24. Advertised beyond the template: 10.1.0.0/16."},
	{"no Pod", func(w *observe.World) { w.Pods = observe.Known([]observe.Pod(nil)) }, "WorkloadCurrent=Unknown/PodMissing", "There is no lab-gw-0 that could run the template."},
	{"unknown Pods", unknown(thePods), "WorkloadCurrent=Unknown/EvidenceUnavailable", "Pod/tsunaro-system/lab-gw-0 could not be read."},
	{"the engine is behind", behind, "WorkloadCurrent=False/TemplateOutOfSync", outOfSync + " The first difference is at spec.x."},
	{"routes that the engine has not applied", all(behind, more), "WorkloadCurrent=False/TemplateOutOfSync", outOfSync + " The first difference is at spec.x. It lacks the routes 10.1.0.0/16."},
	{"an egress that the build does not know", all(behind, egress), "WorkloadCurrent=False/TemplateOutOfSync",
		outOfSync + " The first difference is at spec.x. It lacks the routes 192.168.30.5/32. TailnetEgress/tsunaro-system/printer asks for one of those that it lacks, and must be among what the build renders."},
	{"an egress that only the build knows", all(behind, member(8, func(m *observe.Member) { m.Template.Routes = append(m.Template.Routes[:2:2], other) })), "WorkloadCurrent=False/TemplateOutOfSync",
		outOfSync + " The first difference is at spec.x. It has the routes 10.1.0.0/16, which nothing in the cluster asks for."},
	{"the engine is behind, and Ready does not mind", behind, "Ready=True/FreshRuntimeReady", "The node has its proven identity, and lab-gw-0 is running and ready."},
	{"a StatefulSet that was replaced", member(8, func(m *observe.Member) { m.Retained = verify.Replaced }), "WorkloadCurrent=False/WorkloadUpdateBlocked", untold + "StatefulSet/tsunaro-system/lab-gw is not the one that was recorded."},
	{"a StatefulSet that was deleted", gone(nineth(8)), "WorkloadCurrent=False/WorkloadUpdateBlocked", untold + "StatefulSet/tsunaro-system/lab-gw is missing."},
	{"a StatefulSet that has drifted", member(8, differ(digest.Class(0))), "WorkloadCurrent=False/WorkloadUpdateBlocked", untold + "StatefulSet/tsunaro-system/lab-gw was changed since it was verified."},
	{"routes that are invalid", refused, "WorkloadCurrent=False/WorkloadUpdateBlocked", untold + "TailnetGateway/lab-gw is refused. Its spec.routes.lan[0] must be a canonical IPv4 prefix such as 192.168.10.0/24: no leading zeros, no host bits [prefix]."},
	{"a route that is not IPv4", rendered([]string{"192.168.10.0/24", "fd00::/64"}, nil), "WorkloadCurrent=False/WorkloadUpdateBlocked", untold + "TailnetGateway/lab-gw is refused. Its spec.routes.lan[0] must be IPv4: IPv6 routes are not supported [prefix-ipv6]."},
	{"an address outside of the LB CIDR", rendered([]string{"loadBalancerIP: 10.99.0.53", "loadBalancerIP: 10.98.0.53"}, nil), "WorkloadCurrent=False/WorkloadUpdateBlocked", untold + "TailnetGateway/lab-gw is refused. Its spec.loadBalancerIP must lie inside spec.tailnetLBCIDR [lb-in-cidr]."},
	{"nothing that says why", func(w *observe.World) { w.Render = observe.Known(observe.Render{}) }, "WorkloadCurrent=False/WorkloadUpdateBlocked", untold + "TailnetGateway/lab-gw is refused."},
	{"routes that are invalid, and Ready does not mind", refused, "Ready=True/FreshRuntimeReady", "The node has its proven identity, and lab-gw-0 is running and ready."},
	{"unknown egresses", unknown(theRender), "WorkloadCurrent=Unknown/EvidenceUnavailable", "TailnetEgress/tsunaro-system could not be read."},
	{"an unknown StatefulSet", unknown(nineth(8)), "WorkloadCurrent=Unknown/EvidenceUnavailable", "StatefulSet/tsunaro-system/lab-gw could not be read."},
	{"not complete", bootstrapping(registry.Open), "WorkloadCurrent=", absent},
	{"terminating", terminate, "WorkloadCurrent=", absent},
	{"suspended", suspend, "WorkloadCurrent=", absent},

	// REQ: UP-04, UP-07
	{"an address", nothing, "ServiceReady=True/LoadBalancerAssigned", "Service/tsunaro-system/lab-gw-lb has 10.99.0.53."},
	{"none yet", member(6, func(m *observe.Member) { m.Addresses = nil }), "ServiceReady=False/LBPending", "Service/tsunaro-system/lab-gw-lb has no address yet: check the load balancer and its pool."},
	{"none yet, and Ready does not mind", member(6, func(m *observe.Member) { m.Addresses = nil }), "Ready=True/FreshRuntimeReady", "The node has its proven identity, and lab-gw-0 is running and ready."},
	{"a pool label", all(pooled, others("team")), "ServiceReady=True/LoadBalancerAssigned", "Service/tsunaro-system/lab-gw-lb has 10.99.0.53."},
	{"a pool label of somebody else's", all(pooled, others("lb.example/pool", "team")), "ServiceReady=False/ServiceUpdateBlocked",
		"Service/tsunaro-system/lab-gw-lb already has a label lb.example/pool that somebody else put there. If nobody needs it, remove it: `kubectl label service lab-gw-lb lb.example/pool- --namespace tsunaro-system`."},
	{"the first of two", all(pooled, others("lb.example/pool", "lb.example/tier")), "ServiceReady=False/ServiceUpdateBlocked",
		"Service/tsunaro-system/lab-gw-lb already has a label lb.example/pool that somebody else put there. If nobody needs it, remove it: `kubectl label service lab-gw-lb lb.example/pool- --namespace tsunaro-system`."},
	{"whatever is pending", all(pooled, others("lb.example/tier"), member(6, func(m *observe.Member) { m.Addresses = nil })), "ServiceReady=False/ServiceUpdateBlocked",
		"Service/tsunaro-system/lab-gw-lb already has a label lb.example/tier that somebody else put there. If nobody needs it, remove it: `kubectl label service lab-gw-lb lb.example/tier- --namespace tsunaro-system`."},
	{"and Ready does not mind", all(pooled, others("lb.example/pool")), "Ready=True/FreshRuntimeReady", "The node has its proven identity, and lab-gw-0 is running and ready."},
	{"a label that no pool key names", others("lb.example/pool"), "ServiceReady=True/LoadBalancerAssigned", "Service/tsunaro-system/lab-gw-lb has 10.99.0.53."},
	{"pool labels that are not known", all(unknown(theRender), others("lb.example/pool")), "ServiceReady=True/LoadBalancerAssigned", "Service/tsunaro-system/lab-gw-lb has 10.99.0.53."},
	{"an unknown Service", unknown(nineth(6)), "ServiceReady=Unknown/EvidenceUnavailable", "Service/tsunaro-system/lab-gw-lb could not be read."},
	{"not complete", bootstrapping(registry.Open), "ServiceReady=", absent},
	{"terminating", terminate, "ServiceReady=", absent},
	{"suspended", suspend, "ServiceReady=", absent},

	// REQ: ST-06
	{"as rendered", nothing, "InSync=True/AsRendered", "The nine resources are as rendered."},
	{"one missing", all(bootstrapping(registry.Open), gone(nineth(3)), gone(nineth(5))), "InSync=False/ResourcesMissing", "ConfigMap/tsunaro-system/lab-gw-coredns is missing."},
	{"drifted, whatever is missing", all(gone(nineth(0)), member(7, differ(digest.Class(0)))), "InSync=False/Drifted", "PodDisruptionBudget/tsunaro-system/lab-gw differs from its render at spec.x. status.drift lists the first differences."},
	{"on its way out", member(7, func(m *observe.Member) { m.Deleting = true }), "InSync=False/Drifted", "PodDisruptionBudget/tsunaro-system/lab-gw differs from its render at metadata.deletionTimestamp. status.drift lists the first differences."},
	{"the engine is behind", behind, "InSync=False/EngineBehind", "StatefulSet/tsunaro-system/lab-gw is not yet as rendered at spec.x, where the engine may change it. status.drift lists the first differences."},
	{"one unknown", unknown(nineth(1)), "InSync=Unknown/EvidenceUnavailable", "Role/tsunaro-system/lab-gw could not be read or rendered."},
	{"no rendering", all(refused, member(0, func(m *observe.Member) { m.Result = verify.Result{} })), "InSync=Unknown/EvidenceUnavailable", "TailnetGateway/lab-gw could not be read or rendered."},

	{"a receipt of another gateway does not complete this one", func(w *observe.World) {
		edit(&w.Fresh, func(c *observe.Completion) { c.Labels = nil })
	}, "WorkloadCurrent=", absent},
	{"nor does one that cannot be read", func(w *observe.World) {
		edit(&w.Fresh, func(c *observe.Completion) { c.Err, c.Receipt = receipt.ErrUnknownFormat, receipt.Completion{} })
	}, "DNSReady=False/DNSUpdateBlocked", "ConfigMap/tsunaro-system/lab-gw-coredns is left alone: the gateway's receipt is not one to go by."},
	{"terminating", terminate, "Ready=False/Deleting", "Teardown, at the step RemoveFinalizer: waiting for TailnetGateway/lab-gw."},
	{"terminating", terminate, "Registered=True/NodeRegistered", "Headscale knows the gateway as node 7."},
}

func later(w *observe.World) { w.Now = start.Add(25 * 60 * 60 * 1e9) }

// older is a Pod that was started from another template.
func older(w *observe.World) {
	pod(func(p *observe.Pod) { p.Template.Routes = []netip.Prefix{other, lb} })(w)
	registered(func(n *node.Node) { n.Advertised = []netip.Prefix{other, lb} })(w)
}

func behind(w *observe.World) { member(8, differ(digest.Mutable))(w) }

// more, egress and pooled are a spec that asks for more than was applied.
func more(w *observe.World) {
	rendered([]string{"[192.168.10.0/24]", "[192.168.10.0/24, 10.1.0.0/16]"}, nil)(w)
}

func egress(w *observe.World) {
	g, t := decoded[v1alpha1.TailnetGateway](&testing.T{}, gatewayText), decoded[v1alpha1.Tailnet](&testing.T{}, tailnetText)
	e := v1alpha1.TailnetEgress{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "printer"}}
	e.Spec.TailnetRef.Name, e.Spec.Targets = "home", []v1alpha1.Target{"192.168.30.5"}
	w.Render = observe.Known(observe.RenderOf(g, t, decoded[corev1.ConfigMap](&testing.T{}, hostsText), []v1alpha1.TailnetEgress{e}))
}

func pooled(w *observe.World) {
	rendered([]string{"suspend: false", "suspend: false\n  poolLabels: {lb.example/tier: a, lb.example/pool: b}"}, nil)(w)
}

func others(keys ...string) func(*observe.World) {
	return member(6, func(m *observe.Member) { m.Others = keys })
}

func refused(w *observe.World) {
	rendered([]string{"192.168.10.0/24", "192.168.10.0/33"}, nil)(w)
}

// differ is a member that is not as rendered in one field.
func differ(class digest.Class) func(*observe.Member) {
	return func(m *observe.Member) {
		m.Result.State, m.Result.Path = verify.Behind, "spec.x"
		if class != digest.Mutable {
			m.Result.State, m.Retained = verify.Different, verify.Different
		}
		m.Result.Differences = []verify.Difference{{Object: m.Result.Object, Path: "spec.x", Class: class}}
	}
}

func status(t testing.TB, w observe.World) *v1alpha1.TailnetGateway {
	t.Helper()
	next, _ := report.Status(w, verdict.Decide(w))
	if next == nil {
		next, _ = w.Gateway.Get()
	}
	return next
}

// REQ: ST-01, ST-07, ST-08, ST-09
func TestConditions(t *testing.T) {
	for _, r := range rows {
		t.Run(r.want+"/"+r.why, func(t *testing.T) {
			w := world(t)
			r.change(&w)
			kind, want, _ := strings.Cut(r.want, "=")
			c := meta.FindStatusCondition(status(t, w).Status.Conditions, kind)
			got, says := "", ""
			if c != nil {
				got, says = string(c.Status)+"/"+c.Reason, c.Message
			}
			if got != want || says != r.says {
				t.Errorf("%s %q\nwant %s %q", got, says, want, r.says)
			}
		})
	}
}
