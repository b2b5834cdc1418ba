package gateway

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fluxcd/pkg/runtime/events"
	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"tsunaro.io/gateway/minter/controller/tailnets"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/report"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
)

// Reconciler reconciles TailnetGateways.
type Reconciler struct {
	cluster *kube.Cluster
	nodes   *tailnets.Nodes
	metrics *metrics.Metrics
	events  events.Recorder
	now     func() time.Time

	mu       sync.Mutex
	attempts map[string]observe.Attempt // by the gateway's name

	agenda *agenda
	echoes *echoes
}

// New makes a Reconciler.
func New(cluster *kube.Cluster, nodes *tailnets.Nodes, m *metrics.Metrics, events events.Recorder) *Reconciler {
	return &Reconciler{
		cluster: cluster, nodes: nodes, metrics: m, events: events, now: time.Now, attempts: map[string]observe.Attempt{},
		agenda: newAgenda(), echoes: newEchoes(),
	}
}

// Intervals after which a gateway is looked at again without a reason.
const (
	// soon is for what is awaited and cannot be watched.
	soon = 15 * time.Second
	// resync bounds the backstop for what a watch may have missed: see backstop.
	resync = 12 * time.Hour
)

// turn is how long a gateway's passes may follow each other before others have
// their turn.
const turn = 5 * time.Second

// readLimit bounds what a pass reads, and writeLimit a write with its answer. Each
// write has its own: one that is given up for what was slow before it would be lost.
// Both together are shorter than the time that the process has to stop.
const (
	readLimit  = 12 * time.Second
	writeLimit = 10 * time.Second
)

// reconcile takes a gateway's steps until none is due, and writes its status.
// The error has a fixed text.
//
// What is begun is finished: the steps from the mint to its receipt rest on what
// only this process knows, and a process that stops between them leaves a gateway
// that waits for the key's expiry.
func (r *Reconciler) reconcile(asked context.Context, request ctrl.Request) (ctrl.Result, error) {
	log := ctrl.LoggerFrom(asked)
	ctx := context.WithoutCancel(asked)
	for began := time.Now(); ; {
		switch stopping := asked.Err() != nil; {
		case stopping && r.attempt(request.Name).Minting == nil:
			return ctrl.Result{}, nil
		case !stopping && time.Since(began) > turn:
			return ctrl.Result{RequeueAfter: 100 * time.Millisecond}, nil
		}
		p, d := r.pass(ctx, request.Name)
		switch {
		case p.Gateway.Absent():
			r.forget(request.Name)
			r.nodes.Unfollow(request.Name)
			r.metrics.Withdraw(api.KindTailnetGateway, request.Name)
			return ctrl.Result{}, nil
		case p.gateway == nil:
			return ctrl.Result{}, fmt.Errorf("the gateway cannot be read: %s", p.Gateway.Class())
		case d.Step.Do == verdict.None:
			return r.conclude(ctx, p, d.Verdict)
		}
		result := p.carryOut(ctx, d)
		r.remember(request.Name, verdict.After(p.Attempt, string(p.gateway.UID), d.Step, result))
		r.tell(log, request.Name, d.Step, result)
		if result.Outcome != verdict.Done {
			if _, err := r.conclude(ctx, p, d.failed(result.Outcome)); err != nil {
				return ctrl.Result{}, err
			}
			return ctrl.Result{}, fmt.Errorf("the step %s did not succeed", d.Step.Do)
		}
	}
}

// pass reads everything and decides; of a gateway that could not be read nothing.
func (r *Reconciler) pass(ctx context.Context, name string) (*reading, decision) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	p := r.read(ctx, name, r.attempt(name))
	if p.gateway == nil {
		return p, decision{}
	}
	return p, p.decide(ctx)
}

// tell logs and counts a step, with nothing of its content.
func (r *Reconciler) tell(log logr.Logger, gateway string, s verdict.Step, result verdict.Result) {
	outcome := map[verdict.Outcome]string{verdict.Done: "done", verdict.NotDone: "not-done", verdict.Lost: "lost"}[result.Outcome]
	log.Info("step", "step", s.Do, "object", s.Object.String(), "outcome", outcome)
	r.metrics.Step(api.KindTailnetGateway, gateway, string(s.Do), outcome)
}

// conclude writes the status that a pass has come to, if it says anything new.
func (r *Reconciler) conclude(ctx context.Context, p *reading, v verdict.Verdict) (ctrl.Result, error) {
	if v.LeaveAlone {
		r.metrics.Withdraw(api.KindTailnetGateway, p.gateway.Name)
		return ctrl.Result{}, nil
	}
	r.follow(p)
	if v.Evidence.Spent != "" {
		r.spent(p.gateway.Name, string(p.gateway.UID), v.Evidence.Spent)
	}
	wait := r.again(p, v)
	if v.Evidence.Completed && p.gateway.DeletionTimestamp == nil && !verdict.Suspended(p.gateway) {
		if v.Evidence.Zone = p.serve(ctx); awaited(v.Evidence.Zone) {
			wait = min(wait, soon)
		}
	}
	now := p.gateway
	next, said := report.Status(p.World, v)
	if next != nil {
		now = next
		ctx, cancel := context.WithTimeout(ctx, writeLimit)
		defer cancel()
		if err := r.quietly(ctx, next.Name, next.DeepCopy(), r.cluster.Status); err != nil {
			return ctrl.Result{}, fmt.Errorf("the status was not written: %w", err)
		}
		for _, e := range said {
			r.events.Eventf(p.gateway, nil, e.Type, e.Reason, e.Reason, "%s", e.Message)
		}
	}
	if verdict.Suspended(now) {
		r.metrics.Withdraw(api.KindTailnetGateway, now.Name)
	} else {
		r.metrics.Gateway(now, v, p.Now)
	}
	return ctrl.Result{RequeueAfter: wait}, nil
}

// follow asks to be woken when the nodes that matter to the gateway change.
func (r *Reconciler) follow(p *reading) {
	if p.tailnet == nil || p.list.Asked.IsZero() {
		r.nodes.Unfollow(p.gateway.Name)
		return
	}
	interest := tailnets.Interest{Hostname: cmp.Or(string(p.gateway.Spec.Hostname), p.gateway.Name)}
	if state, ok := p.State.Get(); ok {
		interest.MachineKey, interest.NodeKey = state.Identity.Machine, state.Identity.Node
	}
	if id, ok := p.recorded(); ok {
		interest.KeyID = id
	}
	r.nodes.Follow(p.gateway.Name, p.tailnet.Name, interest, p.list)
}

// again is when to look next without being woken.
func (r *Reconciler) again(p *reading, v verdict.Verdict) time.Duration {
	wait := soon
	switch {
	case verdict.Suspended(p.gateway):
		wait = backstop(p.gateway.Name)
	case v.Evidence.Completed && v.Step.Do == verdict.None && settled(v):
		wait = backstop(p.gateway.Name)
	}
	if !v.Again.IsZero() {
		wait = min(wait, max(v.Again.Sub(p.Now), 100*time.Millisecond))
	}
	return wait
}

func (r *Reconciler) attempt(name string) observe.Attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.attempts[name]
}

func (r *Reconciler) remember(name string, a observe.Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts[name] = a
}

// spent remembers that a key makes no more nodes, so that nobody asks again.
func (r *Reconciler) spent(name, uid string, key node.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.attempts[name]
	if a.GatewayUID != uid {
		a = observe.Attempt{GatewayUID: uid}
	}
	a.Spent = key
	r.attempts[name] = a
}

func (r *Reconciler) forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.attempts, name)
	r.agenda.forget(name)
}

// settled reports whether nothing is awaited: whatever changes from here on
// wakes the gateway.
func settled(v verdict.Verdict) bool { return v.Reason == api.ReasonFreshRuntimeReady && !v.Unheld }
