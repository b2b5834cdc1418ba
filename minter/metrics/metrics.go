package metrics

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Metrics are all of them. They may be used concurrently.
type Metrics struct {
	resources *resources
	gateways  *gateways
	steps     *prometheus.CounterVec
	keys      expiries
	bootstrap expiries
	requests  *prometheus.HistogramVec
	answered  *prometheus.GaugeVec
}

// New registers the metrics: once with a registry.
func New(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		resources: newResources(),
		gateways:  newGateways(),
		steps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tailnet_resource_steps_total",
			Help: "Writes to the API server and to Headscale, by step and by what came of them.",
		}, []string{"kind", "name", "step", "outcome"}),
		keys: newExpiries("tailnet_apikey_expires_seconds",
			"Seconds until the minter's working key expires, as of the last answer of Headscale."),
		bootstrap: newExpiries("tailnet_bootstrap_key_expires_seconds",
			"Seconds until the bootstrap key expires, as of the last answer of Headscale."),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tailnet_headscale_request_seconds",
			Help:    "Durations of the requests to Headscale, by request and by what was known afterwards: ok, or the class of the error.",
			Buckets: []float64{.005, .02, .1, .5, 2, 10},
		}, []string{"tailnet", "op", "class"}),
		answered: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "tailnet_headscale_answered_timestamp_seconds",
			Help: "Unix time of the last request that Headscale answered as it was asked to.",
		}, []string{"tailnet"}),
	}
	var errs []error
	for _, c := range []prometheus.Collector{m.resources, m.gateways, m.steps, m.keys.left, m.bootstrap.left, m.requests, m.answered} {
		errs = append(errs, registry.Register(c))
	}
	return m, errors.Join(errs...)
}

// Resource sets the gauges of an object to its conditions (ST-04).
func (m *Metrics) Resource(kind, name string, conditions []metav1.Condition) {
	m.resources.set(object{kind, name}, conditions)
}

// Gateway sets what a look at a gateway has found: its conditions, and with them the
// step that it is at, the zone that it serves, and when its node was proven. At is
// when the look began.
func (m *Metrics) Gateway(g *v1alpha1.TailnetGateway, v verdict.Verdict, at time.Time) {
	m.Resource(api.KindTailnetGateway, g.Name, g.Status.Conditions)
	m.gateways.change(g.Name, func(told *gateway) {
		told.step = v.Values["step"]
		if v.Evidence.Judged && v.Evidence.Problem == proof.None {
			told.proven = at
		}
		told.zone(g)
	})
}

// Zone sets what a look at a gateway's zone alone has found.
func (m *Metrics) Zone(g *v1alpha1.TailnetGateway) {
	m.Resource(api.KindTailnetGateway, g.Name, g.Status.Conditions)
	m.gateways.change(g.Name, func(told *gateway) { told.zone(g) })
}

// Swapped counts a write of a gateway's live zone.
func (m *Metrics) Swapped(gatewayName string, o livedns.Outcome, at time.Time) {
	m.gateways.change(gatewayName, func(told *gateway) {
		told.swaps[o]++
		if o == livedns.Done {
			told.swapped = at
		}
	})
}

// Step counts a step of an object's setup, upkeep or teardown. Both words are of
// fixed lists.
func (m *Metrics) Step(kind, name, step, outcome string) {
	m.steps.WithLabelValues(kind, name, step, outcome).Inc()
}

// Withdraw takes all that is told of an object away: it is gone, suspended, or
// another minter's.
func (m *Metrics) Withdraw(kind, name string) {
	m.resources.set(object{kind, name}, nil)
	m.steps.DeletePartialMatch(prometheus.Labels{"kind": kind, "name": name})
	if kind == api.KindTailnetGateway {
		m.gateways.withdraw(name)
	}
}

// KeyExpires sets how long a Tailnet's working key still lasts, and takes it away
// for the zero time. Between calls the value stands still.
func (m *Metrics) KeyExpires(tailnet string, at, now time.Time) { m.keys.set(tailnet, at, now) }

// BootstrapExpires does the same for the bootstrap key.
func (m *Metrics) BootstrapExpires(tailnet string, at, now time.Time) {
	m.bootstrap.set(tailnet, at, now)
}

// Headscale returns the observer of a Tailnet's requests.
func (m *Metrics) Headscale(tailnet string) func(headscale.Op, headscale.Class, time.Duration) {
	return func(op headscale.Op, class headscale.Class, took time.Duration) {
		m.requests.WithLabelValues(tailnet, string(op), string(class)).Observe(took.Seconds())
		if class == headscale.OK {
			m.answered.WithLabelValues(tailnet).SetToCurrentTime()
		}
	}
}

// Forget takes away all that is known of a Tailnet.
func (m *Metrics) Forget(tailnet string) {
	m.keys.set(tailnet, time.Time{}, time.Time{})
	m.bootstrap.set(tailnet, time.Time{}, time.Time{})
	m.requests.DeletePartialMatch(prometheus.Labels{"tailnet": tailnet})
	m.answered.DeleteLabelValues(tailnet)
}

type expiries struct{ left *prometheus.GaugeVec }

func newExpiries(name, help string) expiries {
	return expiries{prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"tailnet"})}
}

func (e expiries) set(tailnet string, at, now time.Time) {
	if at.IsZero() {
		e.left.DeleteLabelValues(tailnet)
		return
	}
	e.left.WithLabelValues(tailnet).Set(at.Sub(now).Seconds())
}
