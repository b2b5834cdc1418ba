//go:build lab && linux

package service

import (
	"fmt"
	"sync"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// seen is a gateway as the API server had it.
type seen struct {
	*v1alpha1.TailnetGateway
	at   time.Time
	gone bool
}

// condition is the one of a type; the zero one where it is absent.
func (s seen) condition(conditionType string) metav1.Condition {
	if c := apimeta.FindStatusCondition(s.Status.Conditions, conditionType); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// current reports whether the status is about the present generation.
func (s seen) current() bool {
	return s.Status.ObservedGeneration == s.Generation && len(s.Status.Conditions) > 0
}

func (s seen) String() string {
	text := fmt.Sprintf("%s, generation %d of %d", s.Name, s.Status.ObservedGeneration, s.Generation)
	for _, c := range s.Status.Conditions {
		text += fmt.Sprintf("\n  %s %s/%s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	return text
}

// view is every state that gateways were in, by name, the oldest first.
type view struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced when anything has
	all     map[string][]seen
	wrong   error
}

// watch looks at all gateways until the test ends.
func watch(w *labtest.World) *view {
	w.Helper()
	v := &view{changed: make(chan struct{}), all: map[string][]seen{}}
	w.Follow(w.Resource(apiserver.Admin, api.KindTailnetGateway, ""), metav1.ListOptions{}, v.take)
	return v
}

func (v *view) take(c labtest.Change) {
	var g v1alpha1.TailnetGateway
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(c.Object, &g)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.wrong = err
	}
	v.all[g.Name] = append(v.all[g.Name], seen{&g, c.At, c.Gone})
	close(v.changed)
	v.changed = make(chan struct{})
}

// since are the states of a gateway since a time, the one of that time among them.
func (v *view) since(name string, from time.Time) []seen {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := v.all[name]
	first := len(all)
	for first > 0 && all[first-1].at.After(from) {
		first--
	}
	return append([]seen{}, all[max(0, first-1):]...)
}

// await waits until a gateway is as wanted, and returns it as it then was. One that
// is not there is the zero seen.
func (v *view) await(t testing.TB, name, what string, is func(seen) error) seen {
	t.Helper()
	limit := time.NewTimer(labtest.Deadline)
	defer limit.Stop()
	for {
		s, changed, broken := v.latest(name)
		err := broken
		if err == nil {
			err = is(s)
		}
		if err == nil {
			return s
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("waited in vain until %s %s: %v\n%v", name, what, err, s)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

func (v *view) latest(name string) (s seen, changed chan struct{}, broken error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s = seen{TailnetGateway: &v1alpha1.TailnetGateway{}, gone: true}
	if all := v.all[name]; len(all) > 0 {
		s = all[len(all)-1]
	}
	return s, v.changed, v.wrong
}
