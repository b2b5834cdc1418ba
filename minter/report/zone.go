package report

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Zone returns the gateway with what is true of its zone, and everything else of its
// status as it was: for a pass that has looked at the zone alone (DL-05). It is nil
// where the status says that already. The events are what has changed.
func Zone(w observe.World, zone verdict.Zone) (*v1alpha1.TailnetGateway, []Event) {
	g, ok := w.Gateway.Get()
	if !ok {
		return nil, nil
	}
	s := &subject{World: w, g: g, v: verdict.Verdict{Evidence: verdict.Evidence{Zone: &zone}}}
	next := g.DeepCopy()
	meta.SetStatusCondition(&next.Status.Conditions, s.dns().condition(api.ConditionDNSReady, g.Generation, w.Now))
	s.zone(&next.Status)
	if equality.Semantic.DeepEqual(g.Status, next.Status) {
		return nil, nil
	}
	return next, changes(g, next)
}
