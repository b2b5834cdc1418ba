package gateway

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// echoes tells the events of the reconciler's own writes from those of others. A
// write goes to exactly the revision that was read; so a change from that revision to
// the one that it left is known. One from an earlier revision is not: a watch that was
// interrupted tells of what others did before and of the write at once.
type echoes struct {
	mu      sync.Mutex
	objects map[types.UID]*echo
}

type echo struct {
	writing bool
	heard   []change // what events told while the answer was awaited
	last    change   // that the last write has made; zero where none is known
}

// change is one from a revision of an object to another.
type change struct{ from, to string }

func newEchoes() *echoes { return &echoes{objects: map[types.UID]*echo{}} }

// begin announces a write.
func (e *echoes) begin(object types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.objects[object]
	if o == nil {
		o = &echo{}
		e.objects[object] = o
	}
	o.writing = true
}

// end is its answer: the change that it has made, zero for any but a success. It
// reports whether others' events were kept back meanwhile.
func (e *echoes) end(object types.UID, made change) (others bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.objects[object]
	if o == nil {
		return true // it was deleted meanwhile
	}
	others = slices.ContainsFunc(o.heard, func(c change) bool { return c != made })
	*o = echo{last: made}
	return others
}

// own reports whether an event is not to wake anybody: it tells of an own write, or
// end will tell whether it does.
func (e *echoes) own(object types.UID, told change) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.objects[object]
	switch {
	case o == nil:
		return false
	case o.last == told:
		return true
	case o.writing:
		o.heard = append(o.heard, told)
	}
	return o.writing
}

func (e *echoes) forget(object types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.objects, object)
}

// quietly does a write whose own event wakes nobody. The object then holds what the
// API server answered.
func (r *Reconciler) quietly(ctx context.Context, gateway string, o client.Object, write func(context.Context, client.Object) error) error {
	r.echoes.begin(o.GetUID())
	from, made := o.GetResourceVersion(), change{}
	err := write(ctx, o)
	if err == nil {
		made = change{from, o.GetResourceVersion()}
	}
	if r.echoes.end(o.GetUID(), made) {
		r.agenda.owe(gateway)
	}
	return err
}
