package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/renderer/api"
)

func registered(t *testing.T) (*Metrics, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	m, err := New(registry)
	if err != nil {
		t.Fatal(err)
	}
	return m, registry
}

func want(t *testing.T, registry *prometheus.Registry, name, text string) {
	t.Helper()
	if err := testutil.GatherAndCompare(registry, strings.NewReader(text), name); err != nil {
		t.Error(err)
	}
}

const none = ""

// REQ: MT-06
func TestExpiries(t *testing.T) {
	const key, bootstrap = "tailnet_apikey_expires_seconds", "tailnet_bootstrap_key_expires_seconds"
	m, registry := registered(t)
	want(t, registry, key, none)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	m.KeyExpires("home", now.Add(time.Hour), now)
	m.BootstrapExpires("home", now.Add(-time.Minute), now)
	want(t, registry, key, `
# HELP tailnet_apikey_expires_seconds Seconds until the minter's working key expires, as of the last answer of Headscale.
# TYPE tailnet_apikey_expires_seconds gauge
tailnet_apikey_expires_seconds{tailnet="home"} 3600
`)
	want(t, registry, bootstrap, `
# HELP tailnet_bootstrap_key_expires_seconds Seconds until the bootstrap key expires, as of the last answer of Headscale.
# TYPE tailnet_bootstrap_key_expires_seconds gauge
tailnet_bootstrap_key_expires_seconds{tailnet="home"} -60
`)
	m.KeyExpires("home", time.Time{}, now)
	want(t, registry, key, none)
	m.Forget("home")
	want(t, registry, bootstrap, none)
}

// Conditions of others are not repeated, a reason that is gone leaves no series,
// and neither does an object that is withdrawn.
//
// REQ: ST-04
func TestResources(t *testing.T) {
	m, registry := registered(t)
	m.Resource(api.KindTailnetGateway, "gw", []metav1.Condition{
		{Type: "Ready", Status: "False", Reason: "FreshBlocked"},
		{Type: "Audited", Status: "True", Reason: "ByHand"},
	})
	m.Resource(api.KindTailnet, "home", []metav1.Condition{{Type: "Ready", Status: "True", Reason: "TailnetReady"}})
	const header = `
# HELP tailnet_resource_condition 1 for what each condition says now.
# TYPE tailnet_resource_condition gauge
`
	want(t, registry, "tailnet_resource_condition", header+`
tailnet_resource_condition{kind="Tailnet",name="home",reason="TailnetReady",status="True",type="Ready"} 1
tailnet_resource_condition{kind="TailnetGateway",name="gw",reason="FreshBlocked",status="False",type="Ready"} 1
`)
	want(t, registry, "tailnet_resource_ready", `
# HELP tailnet_resource_ready 1 if the condition Ready is True, else 0.
# TYPE tailnet_resource_ready gauge
tailnet_resource_ready{kind="Tailnet",name="home"} 1
tailnet_resource_ready{kind="TailnetGateway",name="gw"} 0
`)
	m.Resource(api.KindTailnetGateway, "gw", []metav1.Condition{{Type: "Ready", Status: "True", Reason: "FreshRuntimeReady"}})
	m.Withdraw(api.KindTailnet, "home")
	want(t, registry, "tailnet_resource_condition", header+`
tailnet_resource_condition{kind="TailnetGateway",name="gw",reason="FreshRuntimeReady",status="True",type="Ready"} 1
`)
}

func TestHeadscale(t *testing.T) {
	m, registry := registered(t)
	observe := m.Headscale("home")
	observe(headscale.ListNodes, headscale.OK, 50*time.Millisecond)
	observe(headscale.ListNodes, headscale.Unreachable, time.Second)
	observe(headscale.ListNodes, headscale.Unreachable, time.Second)
	if n := testutil.CollectAndCount(m.requests); n != 2 {
		t.Errorf("%d series", n)
	}
	m.Forget("home")
	if n := testutil.CollectAndCount(m.requests); n != 0 {
		t.Errorf("%d series", n)
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("%v: %v", problems, err)
	}
}

// Two minters in one process, as in tests, have registries of their own.
func TestRegisteredTwice(t *testing.T) {
	_, registry := registered(t)
	if _, err := New(registry); err == nil {
		t.Error("no error")
	}
}
