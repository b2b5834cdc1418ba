package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
)

// resources collects the conditions of all objects as they were last set. A scrape
// sees each object as it was before or after a change, and nothing in between.
type resources struct {
	ready, condition *prometheus.Desc

	mu  sync.Mutex
	all map[object][]metav1.Condition
}

type object struct{ kind, name string }

func newResources() *resources {
	return &resources{
		ready: prometheus.NewDesc("tailnet_resource_ready",
			"1 if the condition Ready is True, else 0.", []string{"kind", "name"}, nil),
		condition: prometheus.NewDesc("tailnet_resource_condition",
			"1 for what each condition says now.", []string{"kind", "name", "type", "status", "reason"}, nil),
		all: map[object][]metav1.Condition{},
	}
}

func (r *resources) set(o object, conditions []metav1.Condition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if conditions == nil {
		delete(r.all, o)
		return
	}
	r.all[o] = append([]metav1.Condition{}, conditions...)
}

// Describe implements prometheus.Collector.
func (r *resources) Describe(to chan<- *prometheus.Desc) { to <- r.ready; to <- r.condition }

// Collect implements prometheus.Collector. Conditions that are not in the table
// are somebody else's, and may hold anything.
func (r *resources) Collect(to chan<- prometheus.Metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for o, conditions := range r.all {
		ready := 0.0
		for _, c := range conditions {
			if _, ours := api.FindCondition(o.kind, c.Type, c.Reason); !ours {
				continue
			}
			if c.Type == api.ConditionReady && c.Status == metav1.ConditionTrue {
				ready = 1
			}
			to <- prometheus.MustNewConstMetric(r.condition, prometheus.GaugeValue, 1, o.kind, o.name, c.Type, string(c.Status), c.Reason)
		}
		to <- prometheus.MustNewConstMetric(r.ready, prometheus.GaugeValue, ready, o.kind, o.name)
	}
}
