package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// gateways collects what is told of gateways beside their conditions. A scrape sees
// each as it was before or after a change, and a gateway that is withdrawn leaves
// nothing behind.
type gateways struct {
	step, proven, serial, names, swaps, swapped *prometheus.Desc

	mu  sync.Mutex
	all map[string]*gateway
}

// gateway is one of them. Zero times and a zero serial have no series.
type gateway struct {
	step            string // that it is at; empty where nothing is due
	proven, swapped time.Time
	serial, names   int64
	swaps           [len(outcomes)]int
}

func (told *gateway) zone(g *v1alpha1.TailnetGateway) {
	if dns := g.Status.DNS; dns != nil {
		told.serial, told.names = dns.Serial, int64(dns.Names)
	}
}

// outcomes are the values of the label of that name, by what came of a swap.
var outcomes = [...]string{livedns.Lost: "lost", livedns.Done: "done", livedns.Conflict: "conflict", livedns.Refused: "refused"}

func newGateways() *gateways {
	desc := func(name, help string, more ...string) *prometheus.Desc {
		return prometheus.NewDesc("tailnet_gateway_"+name, help, append([]string{"name"}, more...), nil)
	}
	return &gateways{
		step: desc("step", "1 for the step of the setup, a restart or the teardown that the gateway is at; no series where none is due.", "step"),
		proven: desc("proven_timestamp_seconds",
			"Unix time of the last look at the gateway that proved its node at Headscale."),
		serial:  desc("dns_serial", "Serial of the live zone when it was last in sync."),
		names:   desc("dns_names", "Names with addresses that the live zone held when it was last in sync."),
		swaps:   desc("dns_swaps_total", "Writes of the live zone, by what came of them.", "outcome"),
		swapped: desc("dns_swapped_timestamp_seconds", "Unix time of the last write of the live zone by this process."),
		all:     map[string]*gateway{},
	}
}

// change changes what is told of a gateway.
func (s *gateways) change(name string, to func(*gateway)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[name] == nil {
		s.all[name] = &gateway{}
	}
	to(s.all[name])
}

func (s *gateways) withdraw(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, name)
}

// Describe implements prometheus.Collector.
func (s *gateways) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{s.step, s.proven, s.serial, s.names, s.swaps, s.swapped} {
		to <- d
	}
}

// Collect implements prometheus.Collector. The counters begin at 0, so that a first
// conflict is an increase.
func (s *gateways) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, g := range s.all {
		gauge := func(d *prometheus.Desc, v float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, append([]string{name}, labels...)...)
		}
		if g.step != "" {
			gauge(s.step, 1, g.step)
		}
		if g.serial != 0 {
			gauge(s.serial, float64(g.serial))
			gauge(s.names, float64(g.names))
		}
		for d, at := range map[*prometheus.Desc]time.Time{s.proven: g.proven, s.swapped: g.swapped} {
			if !at.IsZero() {
				gauge(d, float64(at.UnixMilli())/1000)
			}
		}
		for o, n := range g.swaps {
			to <- prometheus.MustNewConstMetric(s.swaps, prometheus.CounterValue, float64(n), name, outcomes[o])
		}
	}
}
