package gateway

import (
	"context"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// wakes are the gateways that an event wakes, by name.
type wakes struct {
	whole []string // anything may have changed about them
	zone  []string // what their zone is made of has changed
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// handler turns the events of a kind into wakes. An update is about both objects:
// whoever was concerned must learn that it no longer is. One that changes nothing,
// or is the reconciler's own, wakes nobody. Whom matters only makes out of an update
// are those who wait for something.
func (m *mapper) handler(whom func(context.Context, client.Object) wakes, matters func(before, after client.Object) bool) handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { m.wake(q, whom(ctx, e.Object)) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			before, after := e.ObjectOld, e.ObjectNew
			told := change{before.GetResourceVersion(), after.GetResourceVersion()}
			if told.from == told.to || m.echoes.own(after.GetUID(), told) {
				return
			}
			about := []client.Object{before, after}
			if alike(before, after) {
				about = about[1:]
			}
			for _, o := range about {
				w := whom(ctx, o)
				if !matters(before, after) {
					w.whole = m.agenda.waiting(w.whole)
				}
				m.wake(q, w)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			m.echoes.forget(e.Object.GetUID())
			m.wake(q, whom(ctx, e.Object))
		},
		GenericFunc: func(ctx context.Context, e event.GenericEvent, q queue) { m.wake(q, whom(ctx, e.Object)) },
	}
}

// peers turns what happens to one gateway into wakes of others: one that goes, or asks
// for something else, may have been in their way. One that comes is in nobody's.
func (m *mapper) peers() handler.EventHandler {
	return handler.Funcs{
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if otherSpec(e.ObjectOld, e.ObjectNew) {
				m.wake(q, m.ofPeer(ctx))
			}
		},
		DeleteFunc: func(ctx context.Context, _ event.DeleteEvent, q queue) { m.wake(q, m.ofPeer(ctx)) },
	}
}

// alike reports whether two objects of which the cache holds metadata concern the same.
func alike(before, after client.Object) bool {
	_, metadata := after.(*metav1.PartialObjectMetadata)
	return metadata && before.GetName() == after.GetName() && maps.Equal(before.GetLabels(), after.GetLabels())
}

func always(client.Object, client.Object) bool { return true }

// otherSpec tells a change of what an object asks for from one of its status.
func otherSpec(before, after client.Object) bool {
	return before.GetUID() != after.GetUID() || before.GetGeneration() != after.GetGeneration() ||
		before.GetDeletionTimestamp().IsZero() != after.GetDeletionTimestamp().IsZero() ||
		!maps.Equal(before.GetLabels(), after.GetLabels())
}

// first is the priority of a zone that has changed: nobody resolves a new name until
// it is served, and everything else can wait the moment that it takes.
const first = 10

// inTurn is the priority of everything else. Those that a new leader finds have it as
// well: behind others that wait for something, and are looked at again and again, they
// might not be looked at for as long as an outage lasts.
const inTurn = 0

// wake puts gateways into the queue.
func (m *mapper) wake(q queue, w wakes) {
	for _, name := range w.whole {
		m.agenda.owe(name)
	}
	add(q, inTurn, w.whole)
	add(q, first, w.zone)
}

func add(q queue, priority int, names []string) {
	if p, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		p.AddWithOpts(priorityqueue.AddOpts{Priority: &priority}, requests(names)...)
		return
	}
	for _, r := range requests(names) {
		q.Add(r)
	}
}

func request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}

func requests(names []string) []reconcile.Request {
	all := make([]reconcile.Request, len(names))
	for i, name := range names {
		all[i] = request(name)
	}
	return all
}
