//go:build lab

package monitoring

// world are series, each with its values: one a minute, as promtool writes them.
type world map[string]string

// scenario is what an alert makes of a world.
type scenario struct {
	alert string
	why   string
	world world
	quiet int               // minutes until which it does not fire
	fires int               // minutes after which it does; 0: never
	with  map[string]string // labels of what fires, beside those of the alert
}

const (
	namespace = `namespace="tsunaro-system"`
	minterJob = namespace + `, job="tsunaro-minter"`
)

// condition is the series of a condition, of the replica minter-a.
func condition(kind, name, conditionType, status, reason string) string {
	return `tailnet_resource_condition{` + namespace + `, pod="minter-a", kind="` + kind + `", name="` + name +
		`", type="` + conditionType + `", status="` + status + `", reason="` + reason + `"}`
}

func gateway(conditionType, status, reason string) string {
	return condition("TailnetGateway", "lab-gw", conditionType, status, reason)
}

func ready(kind, name string) string {
	return `tailnet_resource_ready{` + namespace + `, pod="minter-a", kind="` + kind + `", name="` + name + `"}`
}

func of(metric, label, name string) string {
	return metric + `{` + namespace + `, pod="minter-a", ` + label + `="` + name + `"}`
}

var (
	labGW = map[string]string{"namespace": "tsunaro-system", "name": "lab-gw"}
	home  = map[string]string{"namespace": "tsunaro-system", "tailnet": "home"}

	bound = gateway("Bound", "True", "BindingComplete")
)

var scenarios = []scenario{
	{
		alert: "TailnetGatewayFreshBlocked", why: "five minutes blocked",
		world: world{gateway("Ready", "False", "FreshBlocked"): "1x60"},
		quiet: 4, fires: 5, with: labGW,
	},
	{
		alert: "TailnetGatewayFreshBlocked", why: "four minutes blocked, then ready",
		world: world{gateway("Ready", "False", "FreshBlocked"): "1x3 stale", gateway("Ready", "True", "FreshRuntimeReady"): "_x3 1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayFreshBlocked", why: "another replica takes over",
		world: world{
			gateway("Ready", "False", "FreshBlocked"): "1x3 stale",
			`tailnet_resource_condition{namespace="tsunaro-system", pod="minter-b", kind="TailnetGateway", name="lab-gw", type="Ready", status="False", reason="FreshBlocked"}`: "_x3 1x60",
		},
		quiet: 4, fires: 5, with: labGW,
	},
	{
		alert: "TailnetGatewayFreshBlocked", why: "suspended meanwhile: withdrawn",
		world: world{gateway("Ready", "False", "FreshBlocked"): "1x4 stale"},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayStalled", why: "a changed identity",
		world: world{gateway("Ready", "False", "IdentityChanged"): "1x60"},
		quiet: 14, fires: 15, with: labGW,
	},
	{
		alert: "TailnetGatewayStalled", why: "refused, and then refused for something else",
		world: world{gateway("Ready", "False", "SpecRefused"): "1x9 stale", gateway("Ready", "False", "HostsRefused"): "_x9 1x60"},
		quiet: 14, fires: 15, with: labGW,
	},
	{
		alert: "TailnetGatewayStalled", why: "blocked has an alert of its own",
		world: world{gateway("Ready", "False", "FreshBlocked"): "1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayTeardownBlocked", why: "a conflict",
		world: world{gateway("Ready", "False", "TeardownBlocked"): "1x60"},
		quiet: 4, fires: 5, with: labGW,
	},
	{
		alert: "TailnetGatewayTeardownBlocked", why: "it goes on",
		world: world{gateway("Ready", "False", "Deleting"): "1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayNotReady", why: "the Pod does not run",
		world: world{ready("TailnetGateway", "lab-gw"): "1x9 0x60", gateway("Ready", "False", "RuntimeNotReady"): "_x9 1x60"},
		quiet: 24, fires: 25, with: labGW,
	},
	{
		alert: "TailnetGatewayNotReady", why: "what waits for help has other alerts",
		world: world{ready("TailnetGateway", "lab-gw"): "0x60", gateway("Stalled", "True", "Blocked"): "1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayNotReady", why: "a Tailnet is no gateway, and another gateway is ready",
		world: world{ready("Tailnet", "home"): "0x60", ready("TailnetGateway", "other"): "1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayNotProven", why: "nobody looks any more",
		world: world{of("tailnet_gateway_proven_timestamp_seconds", "name", "lab-gw"): "0x1100", ready("TailnetGateway", "lab-gw"): "1x1100"},
		quiet: 970, fires: 971, with: labGW,
	},
	{
		alert: "TailnetGatewayNotProven", why: "looked at every fifteen hours",
		world: world{of("tailnet_gateway_proven_timestamp_seconds", "name", "lab-gw"): "0x899 54000x899", ready("TailnetGateway", "lab-gw"): "1x1800"},
		quiet: 1790,
	},
	{
		alert: "TailnetGatewayNotProven", why: "not ready has an alert of its own",
		world: world{of("tailnet_gateway_proven_timestamp_seconds", "name", "lab-gw"): "0x1100", ready("TailnetGateway", "lab-gw"): "0x1100"},
		quiet: 1100,
	},
	{
		alert: "TailnetGatewayDNSNotInSync", why: "left alone",
		world: world{gateway("DNSReady", "False", "DNSUpdateBlocked"): "1x60", bound: "1x60"},
		quiet: 14, fires: 15, with: labGW,
	},
	{
		alert: "TailnetGatewayDNSNotInSync", why: "nothing is known about it",
		world: world{gateway("DNSReady", "Unknown", "EvidenceUnavailable"): "1x60", bound: "1x60"},
		quiet: 14, fires: 15, with: labGW,
	},
	{
		alert: "TailnetGatewayDNSNotInSync", why: "not complete yet, or in sync",
		world: world{
			gateway("DNSReady", "False", "DNSUpdateBlocked"): "1x60", gateway("Bound", "True", "BindingOpen"): "1x60",
			condition("TailnetGateway", "other", "DNSReady", "True", "DNSInSync"): "1x60", condition("TailnetGateway", "other", "Bound", "True", "BindingComplete"): "1x60",
		},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayDrifted", why: "somebody changed it",
		world: world{gateway("InSync", "False", "Drifted"): "1x60"},
		quiet: 14, fires: 15, with: labGW,
	},
	{
		alert: "TailnetGatewayDrifted", why: "the engine corrects it",
		world: world{gateway("InSync", "False", "Drifted"): "1x14 stale", gateway("InSync", "True", "AsRendered"): "_x14 1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayEngineBehind", why: "an hour behind",
		world: world{gateway("InSync", "False", "EngineBehind"): "1x90"},
		quiet: 59, fires: 60, with: labGW,
	},
	{
		alert: "TailnetGatewayRoutesNotApproved", why: "nobody approves",
		world: world{gateway("RoutesInSync", "False", "NotApproved"): "1x60"},
		quiet: 29, fires: 30, with: labGW,
	},
	{
		alert: "TailnetGatewayRoutesNotApproved", why: "nothing is claimed before it is ready",
		world: world{gateway("RoutesInSync", "Unknown", "NotReady"): "1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetGatewayNoAddress", why: "pending",
		world: world{gateway("ServiceReady", "False", "LBPending"): "1x60"},
		quiet: 14, fires: 15, with: labGW,
	},
	{
		alert: "TailnetGatewayEndpointDown", why: "CoreDNS is down",
		world: world{
			`up{namespace="tsunaro-system", job="tsunaro-gateway", gateway="lab-gw", pod="lab-gw-0", endpoint="metrics-dns", instance="a"}`:   "1x9 0x60",
			`up{namespace="tsunaro-system", job="tsunaro-gateway", gateway="lab-gw", pod="lab-gw-0", endpoint="kernel-health", instance="b"}`: "1x70",
		},
		quiet: 24, fires: 25,
		with: map[string]string{"namespace": "tsunaro-system", "gateway": "lab-gw", "pod": "lab-gw-0", "endpoint": "metrics-dns"},
	},
	{
		alert: "TailnetNotReady", why: "Headscale does not answer",
		world: world{ready("Tailnet", "home"): "0x60"},
		quiet: 9, fires: 10, with: map[string]string{"namespace": "tsunaro-system", "name": "home"},
	},
	{
		alert: "TailnetNotReady", why: "a gateway is no Tailnet",
		world: world{ready("TailnetGateway", "lab-gw"): "0x60", ready("Tailnet", "home"): "1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetHeadscaleSilent", why: "no answer since the beginning",
		world: world{of("tailnet_headscale_answered_timestamp_seconds", "tailnet", "home"): "0x60"},
		quiet: 15, fires: 16, with: home,
	},
	{
		alert: "TailnetHeadscaleSilent", why: "it answers every minute",
		world: world{of("tailnet_headscale_answered_timestamp_seconds", "tailnet", "home"): "0+60x60"},
		quiet: 60,
	},
	{
		alert: "TailnetHeadscaleErrors", why: "every third request fails",
		world: world{requests("ok"): "0+20x60", requests("timeout"): "0+10x60"},
		quiet: 15, fires: 16, with: home,
	},
	{
		alert: "TailnetHeadscaleErrors", why: "what is not found is an answer, and every tenth may fail",
		world: world{requests("ok"): "0+9x60", requests("not-found"): "0+9x60", requests("refused"): "0+1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetHeadscaleErrors", why: "nobody asks",
		world: world{requests("ok"): "9x60", requests("timeout"): "9x60"},
		quiet: 60,
	},
	{
		alert: "TailnetAPIKeyExpiring", why: "not replaced in time", // 9 days and 30 minutes left
		world: world{of("tailnet_apikey_expires_seconds", "tailnet", "home"): "779400-60x120"},
		quiet: 90, fires: 91, with: home,
	},
	{
		alert: "TailnetAPIKeyExpiring", why: "replaced when ten days are left",
		world: world{of("tailnet_apikey_expires_seconds", "tailnet", "home"): "864060-60x1 2592000-60x200"},
		quiet: 200,
	},
	{
		alert: "TailnetBootstrapKeyExpiring", why: "a month is left", // 30 days and 30 minutes
		world: world{of("tailnet_bootstrap_key_expires_seconds", "tailnet", "home"): "2593800-60x120"},
		quiet: 90, fires: 91, with: home,
	},
	{
		alert: "TailnetKeyExpiryFlat", why: "the working key's stands still after ten minutes",
		world: world{
			of("tailnet_apikey_expires_seconds", "tailnet", "home"):        "2592000-60x10 2591400x60",
			of("tailnet_bootstrap_key_expires_seconds", "tailnet", "home"): "9000000-60x70",
		},
		quiet: 28, fires: 29, with: home,
	},
	{
		alert: "TailnetKeyExpiryFlat", why: "the bootstrap key's stands still after ten minutes",
		world: world{
			of("tailnet_apikey_expires_seconds", "tailnet", "home"):        "2592000-60x70",
			of("tailnet_bootstrap_key_expires_seconds", "tailnet", "home"): "9000000-60x10 8999400x60",
		},
		quiet: 28, fires: 29, with: home,
	},
	{
		alert: "TailnetKeyExpiryFlat", why: "both move, also where a new key replaces the old one",
		world: world{
			of("tailnet_apikey_expires_seconds", "tailnet", "home"):        "864060-60x9 2592000-60x60",
			of("tailnet_bootstrap_key_expires_seconds", "tailnet", "home"): "9000000-60x70",
		},
		quiet: 60,
	},
	{
		alert: "TailnetKeyExpiryFlat", why: "the Tailnet is deleted",
		world: world{of("tailnet_apikey_expires_seconds", "tailnet", "home"): "2592000-60x30 stale"},
		quiet: 90,
	},
	{
		alert: "TailnetMinterDown", why: "there is none",
		world: world{},
		quiet: 9, fires: 10,
	},
	{
		alert: "TailnetMinterDown", why: "both replicas are down",
		world: world{minterUp("minter-a"): "1x9 0x60", minterUp("minter-b"): "1x9 0x60"},
		quiet: 19, fires: 20,
	},
	{
		alert: "TailnetMinterDown", why: "nobody has the lease",
		world: world{minterUp("minter-a"): "1x60", minterUp("minter-b"): "1x60", leads("minter-a"): "1x9 0x60", leads("minter-b"): "0x60"},
		quiet: 19, fires: 20,
	},
	{
		alert: "TailnetMinterDown", why: "one of two is down, and the other has the lease",
		world: world{minterUp("minter-a"): "0x60", minterUp("minter-b"): "1x60", leads("minter-b"): "1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetMinterDown", why: "one without a lease",
		world: world{minterUp("minter-a"): "1x60"},
		quiet: 60,
	},
	{
		alert: "TailnetMinterFailing", why: "every try fails, each minute",
		world: world{failures(): "0+1x60"},
		quiet: 25, fires: 26, with: map[string]string{"namespace": "tsunaro-system", "controller": "tailnetgateway"},
	},
	{
		alert: "TailnetMinterFailing", why: "ten conflicts at once",
		world: world{failures(): "0x9 10x60"},
		quiet: 60,
	},
}

func requests(class string) string {
	return `tailnet_headscale_request_seconds_count{` + namespace + `, pod="minter-a", tailnet="home", op="list-nodes", class="` + class + `"}`
}

func minterUp(pod string) string { return `up{` + minterJob + `, pod="` + pod + `"}` }

func leads(pod string) string {
	return `leader_election_master_status{` + minterJob + `, pod="` + pod + `", name="tsunaro-minter"}`
}

func failures() string {
	return `controller_runtime_reconcile_errors_total{` + minterJob + `, pod="minter-a", controller="tailnetgateway"}`
}
