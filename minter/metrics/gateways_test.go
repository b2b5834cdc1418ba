package metrics

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/tailnet"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func gatewayNamed(name string, dns *v1alpha1.DNSStatus) *v1alpha1.TailnetGateway {
	g := &v1alpha1.TailnetGateway{ObjectMeta: metav1.ObjectMeta{Name: name}}
	g.Status.DNS = dns
	g.Status.Conditions = []metav1.Condition{{Type: api.ConditionReady, Status: metav1.ConditionTrue, Reason: api.ReasonFreshRuntimeReady}}
	return g
}

func at(step verdict.Action) verdict.Verdict {
	return verdict.Verdict{Values: map[string]string{"step": string(step)}}
}

var proven = verdict.Verdict{Evidence: verdict.Evidence{Judged: true, Problem: proof.None}}

// A gateway is at one step at most.
//
// REQ: ST-04
func TestStepIsTheLast(t *testing.T) {
	const name, header = "tailnet_gateway_step", `
# HELP tailnet_gateway_step 1 for the step of the setup, a restart or the teardown that the gateway is at; no series where none is due.
# TYPE tailnet_gateway_step gauge
`
	m, registry := registered(t)
	for _, step := range []verdict.Action{verdict.OpenEntry, verdict.Mint} {
		m.Gateway(gatewayNamed("gw", nil), at(step), noon)
	}
	want(t, registry, name, header+`tailnet_gateway_step{name="gw",step="Mint"} 1`+"\n")
	m.Gateway(gatewayNamed("gw", nil), proven, noon)
	want(t, registry, name, none)
}

// The time of the proof stands still while nothing is proven, and so does what was
// served last: an alert sees it grow old.
func TestProofGrowsOld(t *testing.T) {
	const name, header = "tailnet_gateway_proven_timestamp_seconds", `
# HELP tailnet_gateway_proven_timestamp_seconds Unix time of the last look at the gateway that proved its node at Headscale.
# TYPE tailnet_gateway_proven_timestamp_seconds gauge
`
	m, registry := registered(t)
	m.Gateway(gatewayNamed("gw", nil), verdict.Verdict{}, noon)
	want(t, registry, name, none)
	m.Gateway(gatewayNamed("gw", nil), proven, noon)
	for _, unproven := range []verdict.Evidence{{}, {Judged: true, Problem: proof.Offline}, {Problem: proof.None}} {
		m.Gateway(gatewayNamed("gw", nil), verdict.Verdict{Evidence: unproven}, noon.Add(time.Hour))
	}
	want(t, registry, name, header+`tailnet_gateway_proven_timestamp_seconds{name="gw"} 1.7960400e+09`+"\n")
	m.Gateway(gatewayNamed("gw", nil), proven, noon.Add(time.Minute))
	want(t, registry, name, header+`tailnet_gateway_proven_timestamp_seconds{name="gw"} 1.79604006e+09`+"\n")
}

func TestZone(t *testing.T) {
	m, registry := registered(t)
	m.Gateway(gatewayNamed("gw", nil), verdict.Verdict{}, noon)
	want(t, registry, "tailnet_gateway_dns_serial", none)
	m.Gateway(gatewayNamed("gw", &v1alpha1.DNSStatus{Serial: 7, Names: 0}), verdict.Verdict{}, noon)
	m.Gateway(gatewayNamed("gw", nil), verdict.Verdict{}, noon)
	want(t, registry, "tailnet_gateway_dns_serial", `
# HELP tailnet_gateway_dns_serial Serial of the live zone when it was last in sync.
# TYPE tailnet_gateway_dns_serial gauge
tailnet_gateway_dns_serial{name="gw"} 7
`)
	want(t, registry, "tailnet_gateway_dns_names", `
# HELP tailnet_gateway_dns_names Names with addresses that the live zone held when it was last in sync.
# TYPE tailnet_gateway_dns_names gauge
tailnet_gateway_dns_names{name="gw"} 0
`)
}

func TestSwaps(t *testing.T) {
	m, registry := registered(t)
	m.Swapped("gw", livedns.Conflict, noon)
	want(t, registry, "tailnet_gateway_dns_swapped_timestamp_seconds", none)
	m.Swapped("gw", livedns.Done, noon)
	m.Swapped("gw", livedns.Conflict, noon.Add(time.Hour))
	want(t, registry, "tailnet_gateway_dns_swapped_timestamp_seconds", `
# HELP tailnet_gateway_dns_swapped_timestamp_seconds Unix time of the last write of the live zone by this process.
# TYPE tailnet_gateway_dns_swapped_timestamp_seconds gauge
tailnet_gateway_dns_swapped_timestamp_seconds{name="gw"} 1.7960400e+09
`)
	want(t, registry, "tailnet_gateway_dns_swaps_total", `
# HELP tailnet_gateway_dns_swaps_total Writes of the live zone, by what came of them.
# TYPE tailnet_gateway_dns_swaps_total counter
tailnet_gateway_dns_swaps_total{name="gw",outcome="conflict"} 2
tailnet_gateway_dns_swaps_total{name="gw",outcome="done"} 1
tailnet_gateway_dns_swaps_total{name="gw",outcome="lost"} 0
tailnet_gateway_dns_swaps_total{name="gw",outcome="refused"} 0
`)
}

// feed tells everything that there is to tell about a gateway and a Tailnet.
func feed(m *Metrics) {
	said := map[string][]metav1.Condition{api.KindTailnetGateway: {{Type: "Audited", Status: "True", Reason: "tskey-auth-x"}}}
	for _, c := range api.Conditions {
		said[c.Kind] = append(said[c.Kind], metav1.Condition{Type: c.Type, Reason: c.Reason, Status: metav1.ConditionStatus(c.Status)})
	}
	g := gatewayNamed("gw", &v1alpha1.DNSStatus{Serial: 7, Names: 3})
	g.Status.Conditions = said[api.KindTailnetGateway]
	m.Resource(api.KindTailnet, "home", said[api.KindTailnet])
	v := proven
	v.Values = map[string]string{"step": string(teardown.AwaitPods)}
	m.Gateway(g, v, noon)
	m.Swapped("gw", livedns.Done, noon)
	for _, step := range slices.Concat(verdict.Actions(), teardown.Actions()) {
		m.Step(api.KindTailnetGateway, "gw", string(step), "done")
	}
	m.Step(api.KindTailnet, "home", tailnet.Mint.String(), "done")
	m.KeyExpires("home", noon.Add(time.Hour), noon)
	m.BootstrapExpires("home", noon.Add(time.Hour), noon)
	m.Headscale("home")(headscale.ListNodes, headscale.OK, time.Millisecond)
}

// Every label is a name of an object, or a word of a fixed list. What somebody else
// has written into a status is in none.
func TestLabelsAreBounded(t *testing.T) {
	m, registry := registered(t)
	feed(m)
	word := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	fixed := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	labels := map[string]*regexp.Regexp{
		"kind": regexp.MustCompile(`^Tailnet(Gateway)?$`), "name": regexp.MustCompile(`^(gw|home)$`), "tailnet": regexp.MustCompile(`^home$`),
		"type": word, "reason": word, "status": regexp.MustCompile(`^(True|False|Unknown)$`),
		"step": word, "outcome": fixed, "op": fixed, "class": fixed,
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, series := range f.GetMetric() {
			for _, l := range series.GetLabel() {
				if allowed := labels[l.GetName()]; allowed == nil || !allowed.MatchString(l.GetValue()) {
					t.Errorf("%s has the label %s=%q", f.GetName(), l.GetName(), l.GetValue())
				}
			}
		}
	}
	if len(families) < 12 {
		t.Errorf("%d metrics", len(families))
	}
}

// What is suspended, gone or another minter's leaves no series of any metric.
//
// REQ: ST-04
func TestWithdrawnLeavesNothing(t *testing.T) {
	m, registry := registered(t)
	feed(m)
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("%v: %v", problems, err)
	}
	m.Withdraw(api.KindTailnetGateway, "gw")
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, series := range f.GetMetric() {
			for _, l := range series.GetLabel() {
				if l.GetValue() == "gw" {
					t.Errorf("%s still tells of the gateway", f.GetName())
				}
			}
		}
	}
	m.Withdraw(api.KindTailnet, "home")
	m.Forget("home")
	if families, err := registry.Gather(); err != nil || len(families) > 0 {
		t.Errorf("%v is left: %v", families, err)
	}
}
