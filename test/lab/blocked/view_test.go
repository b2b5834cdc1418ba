//go:build lab && linux

package blocked

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/runtime/conditions/check"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// custom is a custom resource by its plural.
func custom(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: api.Group, Version: api.Version, Resource: resource}
}

// seen is a custom resource as the API server has it.
type seen struct {
	*unstructured.Unstructured
	conditions []metav1.Condition
	observed   int64
}

// GetConditions makes it one that Flux's checker looks at.
func (s seen) GetConditions() []metav1.Condition { return s.conditions }

func (s seen) condition(t string) metav1.Condition {
	if c := apimeta.FindStatusCondition(s.conditions, t); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// current reports whether the status is about the present generation.
func (s seen) current() bool { return s.observed == s.GetGeneration() && len(s.conditions) > 0 }

func (s seen) String() string {
	text := fmt.Sprintf("%s/%s, generation %d of %d", s.GetKind(), s.GetName(), s.observed, s.GetGeneration())
	for _, c := range s.conditions {
		text += fmt.Sprintf("\n  %s %s/%s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	return text
}

// view is every Tailnet and every gateway as it is now. Whatever status it meets on
// the way, it checks.
type view struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced when anything has
	latest  map[string]seen
	wrong   map[string]bool
	met     map[string]int // statuses by Kind/reason of Ready
}

// watch begins to look, and goes on when the test that begins it has ended.
func watch(w *labtest.World) *view {
	w.Helper()
	v := &view{changed: make(chan struct{}), latest: map[string]seen{}, wrong: map[string]bool{}, met: map[string]int{}}
	for _, resource := range []string{"tailnets", "tailnetgateways"} {
		all := w.Dynamic(apiserver.Admin).Resource(custom(resource))
		from, err := v.list(all)
		if err != nil {
			w.Fatal(err)
		}
		go func() {
			for err == nil { // a watch ends when the CRD changes
				v.follow(all, from)
				from, err = v.list(all)
			}
		}()
	}
	return v
}

// list takes all that is there, and returns where to go on.
func (v *view) list(all dynamic.ResourceInterface) (from string, err error) {
	list, err := all.List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for i := range list.Items {
		v.take(&list.Items[i], false)
	}
	return list.GetResourceVersion(), nil
}

// follow takes every change until the watch ends.
func (v *view) follow(all dynamic.ResourceInterface, from string) {
	changes, err := all.Watch(context.Background(), metav1.ListOptions{ResourceVersion: from})
	if err != nil {
		return
	}
	for e := range changes.ResultChan() {
		if u, ok := e.Object.(*unstructured.Unstructured); ok && e.Type != "ERROR" {
			v.take(u, e.Type == "DELETED")
		}
	}
}

func (v *view) take(u *unstructured.Unstructured, gone bool) {
	var object struct {
		Status struct {
			ObservedGeneration int64              `json:"observedGeneration"`
			Conditions         []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &object)
	s := seen{u, object.Status.Conditions, object.Status.ObservedGeneration}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch key := u.GetKind() + "/" + u.GetName(); {
	case err != nil:
		v.wrong[err.Error()] = true
	case gone:
		delete(v.latest, key)
	default:
		v.latest[key] = s
		v.judge(s)
	}
	close(v.changed)
	v.changed = make(chan struct{})
}

// judge checks a status that a minter wrote.
func (v *view) judge(s seen) {
	ready := s.condition(api.ConditionReady)
	if !s.current() || slices.ContainsFunc(s.conditions, func(c metav1.Condition) bool { return c.Reason == forgery }) {
		return
	}
	v.met[s.GetKind()+"/"+ready.Reason]++
	if err := fluxCheck(s, ready); err != nil {
		v.wrong[fmt.Sprintf("conditions/check: %v: %v", err, s)] = true
	}
	result, err := status.Compute(s.Unstructured)
	if err != nil {
		v.wrong[fmt.Sprintf("kstatus: %v: %v", err, s)] = true
		return
	}
	if want := kstatus(s, ready); result.Status != want {
		v.wrong[fmt.Sprintf("kstatus is %s, want %s: %v", result.Status, want, s)] = true
	}
}

// fluxCheck is what Flux's checker of conditions has to say. What is awaited while
// nothing is known of Ready has a checker of its own.
func fluxCheck(s seen, ready metav1.Condition) error {
	c := check.NewChecker(nil, &check.Conditions{NegativePolarity: []string{api.ConditionReconciling, api.ConditionStalled}})
	if ready.Status == metav1.ConditionUnknown {
		c = check.NewInProgressChecker(nil)
	}
	c.DisableFetch, c.Stdout, c.Stderr = true, io.Discard, io.Discard
	fail, warn := c.Check(context.Background(), s)
	if fail != nil {
		return fail
	}
	return warn
}

// kstatus is what it has to make of a status: a suspended gateway is one that is
// not ready, since kstatus knows no such state.
func kstatus(s seen, ready metav1.Condition) status.Status {
	row, _ := api.FindCondition(s.GetKind(), api.ConditionReady, ready.Reason)
	switch {
	case s.GetDeletionTimestamp() != nil:
		return status.TerminatingStatus
	case row.Effect == api.Stalls:
		return status.FailedStatus
	case row.Status == api.True:
		return status.CurrentStatus
	default:
		return status.InProgressStatus
	}
}

// await waits until a custom resource is as wanted. A nil object is one that is not
// there.
func (v *view) await(t testing.TB, kind, name, what string, is func(*seen) error) seen {
	t.Helper()
	limit := time.NewTimer(labtest.Deadline)
	defer limit.Stop()
	for {
		v.mu.Lock()
		s, ok := v.latest[kind+"/"+name]
		changed := v.changed
		v.mu.Unlock()
		var at *seen
		if ok {
			at = &s
		}
		err := is(at)
		if err == nil {
			return s
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("waited in vain until %s/%s %s: %v\n%v", kind, name, what, err, at)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// report fails a test with everything that was wrong with a status, and returns
// what was met.
func (v *view) report(t testing.TB) map[string]int {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, text := range slices.Sorted(maps.Keys(v.wrong)) {
		t.Error(text)
	}
	return maps.Clone(v.met)
}
