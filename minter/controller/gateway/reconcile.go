package gateway

import (
	"context"
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/report"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// atOnce is how long a gateway waits that has been woken during its own pass.
const atOnce = time.Millisecond

// Reconcile looks at a gateway: at its zone alone where nothing else has woken it,
// and at everything where that does not settle it. The error has a fixed text.
func (r *Reconciler) Reconcile(asked context.Context, request ctrl.Request) (ctrl.Result, error) {
	name := request.Name
	if asked.Err() == nil && r.agenda.follow(name, r.now()) && r.followHosts(context.WithoutCancel(asked), name) {
		return later(max(r.agenda.next(name).Sub(r.now()), atOnce)), nil
	}
	owed := r.agenda.begin(name)
	result, err := r.reconcile(asked, request)
	wait := result.RequeueAfter
	if err == nil && wait > 0 && r.agenda.end(name, owed, r.now().Add(wait), wait > soon) {
		wait = atOnce
	}
	return later(wait), err
}

// later is when to look again. Of a settled gateway that is after all that something
// has woken by then: who waits for something has its turn among the woken, or it would
// wait for as long as the minter is busy.
func later(wait time.Duration) ctrl.Result {
	priority := 0
	if wait > soon {
		priority = handler.LowPriority
	}
	return ctrl.Result{RequeueAfter: wait, Priority: &priority}
}

// followHosts brings the zone of a gateway up to its sources, and says so in the
// status: of the rest nothing is read, and nothing said. Done is false where it is
// not in sync afterwards, or there is more to the gateway than that.
func (r *Reconciler) followHosts(ctx context.Context, name string) (done bool) {
	p, ok := r.readZone(ctx, name)
	if !ok {
		return false
	}
	zone := p.serve(ctx)
	if zone == nil || zone.Reason != api.ReasonDNSInSync {
		return false
	}
	next, said := report.Zone(p.World, *zone)
	if next == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	if r.quietly(ctx, name, next.DeepCopy(), r.cluster.Status) != nil {
		return false
	}
	for _, e := range said {
		r.events.Eventf(p.gateway, nil, e.Type, e.Reason, e.Reason, "%s", e.Message)
	}
	r.metrics.Zone(next)
	return true
}

// readZone reads what the decision about a zone rests on but for GW-coredns. It is
// not ok where the gateway's own state calls for a whole pass.
func (r *Reconciler) readZone(ctx context.Context, name string) (p *reading, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	p = &reading{Reconciler: r}
	p.Now, p.Namespace, p.Attempt = r.now(), r.cluster.Namespace, r.attempt(name)
	p.Gateway = kube.Read[v1alpha1.TailnetGateway](ctx, r.cluster, name)
	g, ok := p.Gateway.Get()
	if !ok || verdict.Suspended(g) || g.DeletionTimestamp != nil || g.Status.ObservedGeneration != g.Generation {
		return p, false
	}
	p.gateway = g
	p.Tailnet = kube.Read[v1alpha1.Tailnet](ctx, r.cluster, string(g.Spec.TailnetRef.Name))
	if p.tailnet, ok = p.Tailnet.Get(); !ok || namespaceOf(p.tailnet) != p.Namespace {
		return p, false
	}
	p.readSources(ctx)
	p.Fresh = observe.Map(kube.Read[corev1.ConfigMap](ctx, r.cluster, api.FreshName(name)), observe.CompletionOf)
	return p, p.Fresh.Known()
}

// MeanBackstop is the mean of backstop over many gateways.
const MeanBackstop = resync * 5 / 6

// backstop is how long after a settled pass a gateway is looked at again unwoken: two
// thirds of resync, or up to all of it, so that gateways that were looked at one
// after the other, as after a start, are not all looked at again at the same time.
func backstop(gateway string) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(gateway)) // never fails
	return resync*2/3 + time.Duration(float64(resync/3)*float64(h.Sum32())/(1<<32))
}
