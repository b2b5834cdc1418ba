package monitoring

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// others are the metrics that this product does not make and these files use.
var others = map[string]string{
	"up":                                        "Prometheus",
	"coredns_dns_responses_total":               "CoreDNS, plugin prometheus",
	"coredns_dns_request_duration_seconds":      "CoreDNS, plugin prometheus; a histogram",
	"tailscaled_inbound_bytes_total":            "Tailscale, wgengine/magicsock",
	"tailscaled_outbound_bytes_total":           "Tailscale, wgengine/magicsock",
	"tailscaled_advertised_routes":              "Tailscale, ipn/ipnlocal",
	"tailscaled_approved_routes":                "Tailscale, ipn/ipnlocal",
	"tailscaled_health_messages":                "Tailscale, health",
	"controller_runtime_reconcile_total":        "controller-runtime",
	"controller_runtime_reconcile_errors_total": "controller-runtime",
	"workqueue_depth":                           "controller-runtime",
	"leader_election_master_status":             "controller-runtime",
	"process_resident_memory_bytes":             "Prometheus' Go client",
}

// gathered are the minter's own metrics, each with a series.
func gathered(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	m, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	g := &v1alpha1.TailnetGateway{ObjectMeta: metav1.ObjectMeta{Name: "lab-gw"}}
	g.Status.DNS = &v1alpha1.DNSStatus{Serial: 1, Names: 1}
	g.Status.Conditions = []metav1.Condition{{Type: api.ConditionReady, Status: metav1.ConditionTrue, Reason: api.ReasonFreshRuntimeReady}}
	m.Gateway(g, verdict.Verdict{
		Values:   map[string]string{"step": string(verdict.Mint)},
		Evidence: verdict.Evidence{Judged: true, Problem: proof.None},
	}, now)
	m.Swapped("lab-gw", livedns.Done, now)
	m.Step(api.KindTailnetGateway, "lab-gw", string(verdict.Mint), "done")
	m.KeyExpires("home", now.Add(time.Hour), now)
	m.BootstrapExpires("home", now.Add(time.Hour), now)
	m.Headscale("home")(headscale.ListNodes, headscale.OK, time.Second)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*dto.MetricFamily{}
	for _, f := range families {
		all[f.GetName()] = f
	}
	return all
}

// dashboard are the expressions of the dashboard.
func dashboard(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	if len(all) < 15 {
		t.Fatalf("%d expressions", len(all))
	}
	return all
}

var (
	notNames = regexp.MustCompile(`"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	word     = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*(\s*\()?`)
	operator = []string{"and", "or", "unless", "bool", "offset"}
	suffix   = regexp.MustCompile(`_(bucket|count|sum)$`)
)

// metricsOf are the names of the metrics in an expression: the words that are
// neither functions nor operators, outside of strings, selectors, ranges and lists
// of labels. Of a histogram its own name.
func metricsOf(expr string) []string {
	expr = notNames.ReplaceAllString(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(expr, `""`), " ")
	var names []string
	for _, w := range word.FindAllString(expr, -1) {
		if w[len(w)-1] != '(' && !slices.Contains(operator, w) {
			names = append(names, suffix.ReplaceAllString(w, ""))
		}
	}
	return names
}

func TestMetricsOf(t *testing.T) {
	for expr, want := range map[string][]string{
		`absent(up{job="a}"} == 1) or max (x_total) == 0`:                       {"up", "x_total"},
		`sum by (le, a) (rate(y_bucket{a!~"b|c"}[5m])) unless on (a) z{}`:       {"y", "z"},
		`time() - max by (name) (t_seconds) > 13 * 3600 and ignoring(x) r == 1`: {"t_seconds", "r"},
	} {
		if got := metricsOf(expr); !slices.Equal(got, want) {
			t.Errorf("%s: %v", expr, got)
		}
	}
}

// Whatever alerts and dashboard ask for is there, and nothing is exported that
// neither shows.
func TestExpressionsAreAboutMetricsThatExist(t *testing.T) {
	own, used := gathered(t), map[string]bool{}
	exprs := dashboard(t)
	for _, r := range rules(t) {
		exprs = append(exprs, r.Expr)
	}
	for _, expr := range exprs {
		names := metricsOf(expr)
		if len(names) == 0 {
			t.Errorf("no metric in %s", expr)
		}
		for _, name := range names {
			used[name] = true
			if own[name] == nil && others[name] == "" {
				t.Errorf("there is no metric %s: %s", name, expr)
			}
		}
	}
	for name := range own {
		if !used[name] {
			t.Errorf("%s is in no alert and in no panel", name)
		}
	}
	for name := range others {
		if !used[name] {
			t.Errorf("%s is listed, and not used", name)
		}
	}
}
