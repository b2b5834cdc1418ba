//go:build lab && linux

package flux

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

var (
	kustomizations = schema.GroupVersionResource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Resource: "kustomizations"}
	repositories   = schema.GroupVersionResource{Group: "source.toolkit.fluxcd.io", Version: "v1", Resource: "gitrepositories"}
)

// of are the objects of one of Flux's resources in the operator namespace.
func of(w *labtest.World, r schema.GroupVersionResource) dynamic.ResourceInterface {
	w.Helper()
	return w.Dynamic(apiserver.Admin).Resource(r).Namespace(namespace)
}

// seen is what a watch saw of an object: a Kustomization or a GitRepository of Flux, a
// gateway, or a StatefulSet.
type seen struct {
	at       time.Time
	gone     bool
	metadata metav1.ObjectMeta
	status   status
}

// status is what is asked for of a status.
type status struct {
	Conditions             []metav1.Condition `json:"conditions"`
	Artifact               artifact           `json:"artifact"`
	LastAttemptedRevision  string             `json:"lastAttemptedRevision"`
	LastHandledReconcileAt string             `json:"lastHandledReconcileAt"`
}

type artifact struct {
	Revision string `json:"revision"`
}

func (s seen) condition(kind string) metav1.Condition {
	for _, c := range s.status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return metav1.Condition{}
}

// is reports whether its condition Ready is as wanted.
func (s seen) is(want shown) error {
	c := s.condition("Ready")
	if string(c.Status) == want.status && c.Reason == want.reason && strings.Contains(c.Message, want.message) {
		return nil
	}
	return fmt.Errorf("it shows %s/%s: %s", c.Status, c.Reason, c.Message)
}

// history is all that was seen, by Kind/name, the oldest first.
type history struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced when anything has
	all     map[string][]seen
	pushes  []push
}

// push is a commit that Flux has.
type push struct {
	at       time.Time // when it was about to be pushed
	revision string
}

// head is the last commit.
func (h *history) head() string { return h.pushes[len(h.pushes)-1].revision }

// holds are the revisions that Flux can have reconciled since a time.
func (h *history) holds(since time.Time) (revisions []string) {
	for i := len(h.pushes) - 1; i >= 0; i-- {
		revisions = append(revisions, h.pushes[i].revision)
		if !h.pushes[i].at.After(since) {
			break
		}
	}
	return revisions
}

// watch looks until the test ends. If that fails, it logs what it saw last.
func watch(w *labtest.World) *history {
	w.Helper()
	h := &history{changed: make(chan struct{}), all: map[string][]seen{}}
	w.Cleanup(func() {
		if w.Failed() {
			w.Log(h)
		}
	})
	for _, objects := range []dynamic.ResourceInterface{
		of(w, kustomizations), of(w, repositories), w.Resource(apiserver.Admin, "StatefulSet", namespace), w.Resource(apiserver.Admin, "TailnetGateway", ""),
	} {
		w.Follow(objects, metav1.ListOptions{}, h.take)
	}
	return h
}

func (h *history) take(c labtest.Change) {
	s := seen{at: c.At, gone: c.Gone}
	part := func(name string, into any) {
		if m, ok, _ := unstructured.NestedMap(c.Object, name); ok {
			_ = runtime.DefaultUnstructuredConverter.FromUnstructured(m, into) // what is of another kind stays empty
		}
	}
	part("metadata", &s.metadata)
	part("status", &s.status)
	h.mu.Lock()
	defer h.mu.Unlock()
	key := c.GetKind() + "/" + c.GetName()
	h.all[key] = append(h.all[key], s)
	close(h.changed)
	h.changed = make(chan struct{})
}

// String is what each object said last.
func (h *history) String() (text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(h.all)) {
		s := latest(h.all[key])
		c := s.condition("Ready")
		text += fmt.Sprintf("\n%s at %s, gone %t: %s/%s %s", key, s.at.Format(time.TimeOnly), s.gone, c.Status, c.Reason, c.Message)
	}
	return text
}

// now is all that was seen of an object, and what tells of more.
func (h *history) now(key string) ([]seen, chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[key], h.changed
}

// await waits until one of all that was seen of an object is what find is after, and
// returns it.
func (h *history) await(w *labtest.World, limit time.Duration, key, what string, find func([]seen) (seen, error)) seen {
	w.Helper()
	over := time.NewTimer(limit)
	defer over.Stop()
	for {
		all, changed := h.now(key)
		s, err := find(all)
		if err == nil {
			return s
		}
		select {
		case <-changed:
		case <-over.C:
			w.Fatalf("waited in vain until %s %s: %v", key, what, err)
		case <-w.Context().Done():
			w.Fatal(w.Context().Err())
		}
	}
}

// first is the first of an object that is as wanted.
func (h *history) first(w *labtest.World, key, what string, is func(seen) bool) seen {
	w.Helper()
	return h.await(w, labtest.Deadline, key, what, func(all []seen) (seen, error) {
		for _, s := range all {
			if is(s) {
				return s, nil
			}
		}
		return seen{}, fmt.Errorf("it was not, in %d states", len(all))
	})
}
