package gateway

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
)

// serve brings the live zone up to its sources, and returns what is true of it. A
// conflict reads everything again (DL-02).
func (p *reading) serve(ctx context.Context) *verdict.Zone {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	for conflicts := 0; ; p = p.Reconciler.read(ctx, p.gateway.Name, p.Attempt) {
		if p.gateway == nil { // gone meanwhile, or not to be read
			return nil
		}
		v := livedns.Decide(livedns.World{
			World: p.World, Live: kube.Read[corev1.ConfigMap](ctx, p.cluster, api.CoreDNSName(p.gateway.Name)), Conflicts: conflicts,
		})
		if v.Swap == nil {
			return zoneOf(v)
		}
		outcome := swapped(p.cluster.Swap(ctx, v.Swap.DeepCopy()))
		p.metrics.Swapped(p.gateway.Name, outcome, p.now())
		conflicts = livedns.After(conflicts, outcome)
		if outcome == livedns.Lost || outcome == livedns.Refused {
			return zoneOf(livedns.Failed(v, outcome))
		}
	}
}

func zoneOf(v livedns.Verdict) *verdict.Zone {
	return &verdict.Zone{Reason: v.Reason, Values: v.Values, Serial: v.Serial, Names: v.Names}
}

func swapped(err error) livedns.Outcome {
	switch {
	case err == nil:
		return livedns.Done
	case errors.Is(err, kube.Conflict), errors.Is(err, kube.Exists):
		return livedns.Conflict
	case errors.Is(err, kube.Refused):
		return livedns.Refused
	}
	return livedns.Lost
}
