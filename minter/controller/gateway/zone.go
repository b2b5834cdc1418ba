package gateway

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
)

// serve brings the live zone up to its sources, and returns what is true of it. What
// a swap leaves is what the API server answers it with; a conflict reads everything
// again (DL-02).
func (p *reading) serve(ctx context.Context) *verdict.Zone {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	live := p.readLive(ctx)
	for conflicts, written := 0, false; ; {
		v := livedns.Decide(livedns.World{World: p.World, Live: live, Conflicts: conflicts})
		switch {
		case v.Swap == nil:
			if v.Reason == api.ReasonDNSInSync {
				hosts, _ := p.Hosts.Get()
				p.agenda.inSync(p.gateway.Name, hosts.Revision)
			}
			return zoneOf(v)
		case written: // and something else was stored
			return zoneOf(livedns.Failed(v, livedns.Refused))
		}
		next := v.Swap.DeepCopy()
		outcome := swapped(p.quietly(ctx, p.gateway.Name, next, p.cluster.Swap))
		p.metrics.Swapped(p.gateway.Name, outcome, p.now())
		conflicts = livedns.After(conflicts, outcome)
		switch outcome {
		case livedns.Lost, livedns.Refused:
			return zoneOf(livedns.Failed(v, outcome))
		case livedns.Done:
			live, written = observe.Known(next), true
		default:
			if p = p.Reconciler.read(ctx, p.gateway.Name, p.Attempt); p.gateway == nil {
				return nil // gone meanwhile, or not to be read
			}
			live = p.readLive(ctx)
		}
	}
}

func (p *reading) readLive(ctx context.Context) observe.Fact[*corev1.ConfigMap] {
	return kube.Read[corev1.ConfigMap](ctx, p.cluster, api.CoreDNSName(p.gateway.Name))
}

// awaited reports whether a zone is to be looked at again though nothing wakes the
// gateway: what could not be read or written may be by then. A better hosts source
// does wake it, and a bad one concerns all gateways of a Tailnet.
func awaited(z *verdict.Zone) bool {
	if z == nil {
		return true
	}
	switch z.Reason {
	case api.ReasonDNSInSync, api.ReasonHostsMissing, api.ReasonHostsRefused, api.ReasonDNSSerialExhausted:
		return false
	}
	return true
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
