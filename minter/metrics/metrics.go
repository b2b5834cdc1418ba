package metrics

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/headscale"
)

// Metrics are all of them. They may be used concurrently.
type Metrics struct {
	resources *resources
	keys      expiries
	bootstrap expiries
	requests  *prometheus.HistogramVec
}

// New registers the metrics: once with a registry.
func New(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		resources: newResources(),
		keys: newExpiries("tailnet_apikey_expires_seconds",
			"Seconds until the minter's working key expires, as of the last answer of Headscale."),
		bootstrap: newExpiries("tailnet_bootstrap_key_expires_seconds",
			"Seconds until the bootstrap key expires, as of the last answer of Headscale."),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tailnet_headscale_request_seconds",
			Help:    "Durations of the requests to Headscale, by request and by what was known afterwards: ok, or the class of the error.",
			Buckets: []float64{.005, .02, .1, .5, 2, 10},
		}, []string{"tailnet", "op", "class"}),
	}
	return m, errors.Join(registry.Register(m.resources), registry.Register(m.keys.left), registry.Register(m.bootstrap.left), registry.Register(m.requests))
}

// Resource sets the gauges of an object to its conditions (ST-04).
func (m *Metrics) Resource(kind, name string, conditions []metav1.Condition) {
	m.resources.set(object{kind, name}, conditions)
}

// Withdraw takes the gauges of an object away: it is gone, suspended, or another
// minter's.
func (m *Metrics) Withdraw(kind, name string) { m.resources.set(object{kind, name}, nil) }

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
	}
}

// Forget takes away all that is known of a Tailnet.
func (m *Metrics) Forget(tailnet string) {
	m.keys.set(tailnet, time.Time{}, time.Time{})
	m.bootstrap.set(tailnet, time.Time{}, time.Time{})
	m.requests.DeletePartialMatch(prometheus.Labels{"tailnet": tailnet})
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
