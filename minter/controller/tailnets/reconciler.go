package tailnets

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fluxcd/pkg/runtime/events"
	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/minter/tailnet"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Reconciler reconciles Tailnets.
type Reconciler struct {
	cluster *kube.Cluster
	clients *Clients
	nodes   *Nodes
	metrics *metrics.Metrics
	events  events.Recorder
	now     func() time.Time
	cache   client.Reader // of gateways, the manager's; nil: none. Nothing is decided on it

	mu       sync.Mutex
	memories map[string]tailnet.Memory // by Tailnet
	refers   map[string][]string       // by Tailnet: the ConfigMaps that it names
}

// New makes a Reconciler. Now is the clock; nil is the usual one.
func New(cluster *kube.Cluster, clients *Clients, nodes *Nodes, m *metrics.Metrics, events events.Recorder, now func() time.Time) *Reconciler {
	if now == nil {
		now = time.Now
	}
	return &Reconciler{
		cluster: cluster, clients: clients, nodes: nodes, metrics: m, events: events, now: now,
		memories: map[string]tailnet.Memory{}, refers: map[string][]string{},
	}
}

// steps is how many may follow each other in one pass: more than a rotation has.
const steps = 12

// readLimit bounds what is read before a step, and writeLimit the step or a status
// with its answer. Each write has its own: one that is given up for what was slow
// before it would be lost. Both together are shorter than the time that the process
// has to stop.
const (
	readLimit  = 12 * time.Second
	writeLimit = 10 * time.Second
)

// Reconcile takes a Tailnet's steps until none is due, and writes its status. The
// error has a fixed text. A Tailnet of another operator namespace is left alone
// (RN-12).
//
// A process that is asked to stop stores the key that it has made.
func (r *Reconciler) Reconcile(asked context.Context, request ctrl.Request) (ctrl.Result, error) {
	log := ctrl.LoggerFrom(asked)
	ctx := context.WithoutCancel(asked)
	var unheld error // why the finalizer could not be written
	for left := steps; ; left-- {
		if asked.Err() != nil && !r.inHand(request.Name) {
			return ctrl.Result{}, nil
		}
		fact, held := r.find(ctx, request.Name)
		t, ok := fact.Get()
		switch {
		case fact.Unknown():
			return ctrl.Result{}, fmt.Errorf("the Tailnet cannot be read: %s", fact.Class())
		case !ok || !r.clients.ours(t):
			r.forget(request.Name)
			return ctrl.Result{}, nil
		}
		r.refer(t)
		w := r.read(ctx, t, held)
		d := tailnet.Decide(w)
		switch {
		case held.Step.Do != verdict.None && !d.Stay && unheld == nil && left > 0:
			unheld = r.finalize(ctx, log, t, held.Step)
		case d.Step.Do == tailnet.None || left == 0:
			return r.conclude(ctx, w, d, unheld)
		default:
			result := r.carryOut(ctx, w, d.Step)
			r.remember(t.Name, tailnet.After(w, d.Step, result))
			r.tell(log, t.Name, d.Step, result)
		}
	}
}

// tell logs and counts a step. The prefix of a key is public, its bytes are in no
// step's text.
func (r *Reconciler) tell(log logr.Logger, name string, s tailnet.Step, result tailnet.Result) {
	outcome := [...]string{"done", "denied", "failed", "lost", "raced"}[result.Outcome]
	log.Info("step", "step", s.Do.String(), "prefix", s.Prefix+result.Minted.Prefix, "outcome", outcome, "problem", result.Problem)
	r.metrics.Step(api.KindTailnet, name, s.Do.String(), outcome)
}

// conclude writes the status that a pass has come to, if it says anything new. A
// finalizer that could not be written is tried again, and nothing has waited for it.
func (r *Reconciler) conclude(ctx context.Context, w tailnet.World, d tailnet.Decision, unheld error) (ctrl.Result, error) {
	t := w.Tailnet
	next, said := tailnet.Status(w.Now, t, d.Report)
	if next != nil {
		ctx, cancel := context.WithTimeout(ctx, writeLimit)
		defer cancel()
		if err := r.cluster.Status(ctx, next.DeepCopy()); err != nil {
			return ctrl.Result{}, fmt.Errorf("the status was not written: %w", err)
		}
		for _, e := range said {
			r.events.Eventf(t, nil, e.Type, e.Reason, e.Reason, "%s", e.Message)
		}
		t = next
	}
	r.metrics.Resource(api.KindTailnet, t.Name, t.Status.Conditions)
	if f := d.Report.KeyExpires; !f.Unknown() {
		at, _ := f.Get()
		r.metrics.KeyExpires(t.Name, at, w.Now)
	}
	if f := d.Report.BootstrapExpires; !f.Unknown() {
		at, _ := f.Get()
		r.metrics.BootstrapExpires(t.Name, at, w.Now)
	}
	if unheld != nil {
		return ctrl.Result{}, fmt.Errorf("the finalizer was not written: %w", unheld)
	}
	return ctrl.Result{RequeueAfter: d.Again}, nil
}

// memory is what this process knows of the Tailnet, and nothing of an earlier one
// of its name.
func (r *Reconciler) memory(t *v1alpha1.Tailnet) tailnet.Memory {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.memories[t.Name]; m.UID == string(t.UID) {
		return m
	}
	return tailnet.Memory{}
}

func (r *Reconciler) inHand(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.memories[name].Minted.Key.Empty()
}

func (r *Reconciler) remember(name string, m tailnet.Memory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memories[name] = m
}

// refer notes the ConfigMaps that a Tailnet names, so that they wake it.
func (r *Reconciler) refer(t *v1alpha1.Tailnet) {
	names := []string{hostsName(t)}
	if ref := t.Spec.CABundleConfigMapRef; ref != nil {
		names = append(names, string(ref.Name))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refers[t.Name] = names
}

// forget drops all that is known of a Tailnet that is gone, or another minter's.
func (r *Reconciler) forget(name string) {
	r.mu.Lock()
	delete(r.memories, name)
	delete(r.refers, name)
	r.mu.Unlock()
	r.clients.forget(name)
	r.nodes.forget(name)
	r.metrics.Withdraw(api.KindTailnet, name)
	r.metrics.Forget(name)
}
