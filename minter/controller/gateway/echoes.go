package gateway

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// echoes tells the events of the reconciler's own writes from those of others. A
// write goes to exactly the revision that was read; so an object of the revision that
// it left is known.
type echoes struct {
	mu      sync.Mutex
	objects map[types.UID]*echo
}

type echo struct {
	writing bool
	heard   []string // revisions that events told while the answer was awaited
	left    string   // revision that the last write left
}

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

// end is its answer: the revision that it left, empty for any but a success. It
// reports whether others' events were kept back meanwhile.
func (e *echoes) end(object types.UID, left string) (others bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.objects[object]
	if o == nil {
		return true // it was deleted meanwhile
	}
	others = slices.ContainsFunc(o.heard, func(revision string) bool { return revision != left })
	*o = echo{left: left}
	return others
}

// own reports whether an event is not to wake anybody: it tells of an own write, or
// end will tell whether it does.
func (e *echoes) own(object types.UID, revision string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.objects[object]
	switch {
	case o == nil:
		return false
	case o.left == revision:
		return true
	case o.writing:
		o.heard = append(o.heard, revision)
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
	err := write(ctx, o)
	left := ""
	if err == nil {
		left = o.GetResourceVersion()
	}
	if r.echoes.end(o.GetUID(), left) {
		r.agenda.owe(gateway)
	}
	return err
}
