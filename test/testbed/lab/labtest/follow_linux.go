package labtest

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// Change is an object as a watch has shown it.
type Change struct {
	*unstructured.Unstructured
	At   time.Time
	Gone bool // deleted; the object is as it was last
	Anew bool // the watch has just begun, or began again: what was between may be missing
}

// Follow tells of every state of objects, from what is there on, in one order and
// until the test ends. It goes on after a break, such as the API server's restart.
func (w *World) Follow(objects dynamic.ResourceInterface, only metav1.ListOptions, tell func(Change)) {
	w.Helper()
	list, err := objects.List(w.Context(), only)
	if err != nil {
		w.Fatal(err)
	}
	f := follower{objects, only, tell}
	go f.run(w.Context(), list)
}

type follower struct {
	objects dynamic.ResourceInterface
	only    metav1.ListOptions
	tell    func(Change)
}

func (f *follower) run(ctx context.Context, list *unstructured.UnstructuredList) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		if list != nil {
			for i := range list.Items {
				f.tell(Change{Unstructured: &list.Items[i], At: time.Now(), Anew: true})
			}
			f.watch(ctx, list.GetResourceVersion())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
		list, _ = f.objects.List(ctx, f.only) // of a server that is not there: nil, and it is asked again
	}
}

func (f *follower) watch(ctx context.Context, from string) {
	only := f.only
	only.ResourceVersion = from
	changes, err := f.objects.Watch(ctx, only)
	if err != nil {
		return
	}
	defer changes.Stop()
	for e := range changes.ResultChan() {
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok || e.Type == watch.Error {
			return
		}
		f.tell(Change{Unstructured: u, At: time.Now(), Gone: e.Type == watch.Deleted})
	}
}
