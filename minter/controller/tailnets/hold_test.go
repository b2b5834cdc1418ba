package tailnets

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// shell is the reconciler on an API server that is none, and no Headscale.
type shell struct {
	*testing.T
	client.WithWatch
	*Reconciler
}

func newShell(t *testing.T, between interceptor.Funcs, objects ...client.Object) *shell {
	t.Helper()
	scheme, err := kube.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.Tailnet{}, &v1alpha1.TailnetGateway{}).WithInterceptorFuncs(between).Build()
	told, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	cluster := kube.Over(c, api.DefaultOperatorNamespace)
	clients := NewClients(cluster, headscale.Options{Tries: 1}, told.Headscale)
	return &shell{t, c, New(cluster, clients, NewNodes(clients, time.Hour), told, &events.FakeRecorder{}, nil)}
}

func aTailnet() *v1alpha1.Tailnet {
	return &v1alpha1.Tailnet{
		ObjectMeta: metav1.ObjectMeta{Name: "home", UID: "t-uid", Finalizers: []string{"x.example/other"}},
		Spec:       v1alpha1.TailnetSpec{ControlURL: "https://headscale.example"},
	}
}

func aGateway(policy v1alpha1.DeletionPolicy) *v1alpha1.TailnetGateway {
	return &v1alpha1.TailnetGateway{
		ObjectMeta: metav1.ObjectMeta{Name: "lab-gw", UID: "g-uid"},
		Spec:       v1alpha1.TailnetGatewaySpec{TailnetRef: v1alpha1.GatewayTailnetRef{Name: "home"}, DeletionPolicy: policy},
	}
}

func (s *shell) reconcile() error {
	s.Helper()
	_, err := s.Reconcile(s.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "home"}})
	return err
}

// tailnet is the Tailnet as it is there, or nil.
func (s *shell) tailnet() *v1alpha1.Tailnet {
	s.Helper()
	t := &v1alpha1.Tailnet{}
	switch err := s.Get(s.Context(), client.ObjectKey{Name: "home"}, t); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		s.Fatal(err)
	}
	return t
}

func (s *shell) held() bool {
	s.Helper()
	return slices.Contains(s.tailnet().Finalizers, api.FinalizerTeardown)
}

func (s *shell) change(policy v1alpha1.DeletionPolicy) {
	s.Helper()
	g := &v1alpha1.TailnetGateway{}
	if err := s.Get(s.Context(), client.ObjectKey{Name: "lab-gw"}, g); err != nil {
		s.Fatal(err)
	}
	g.Spec.DeletionPolicy = policy
	if err := s.Update(s.Context(), g); err != nil {
		s.Fatal(err)
	}
}

// A gateway's consent holds its Tailnet, other finalizers stay, and Retain lets it
// go; a deletion meanwhile waits and says so.
//
// REQ: TD-07
func TestTailnetIsHeld(t *testing.T) {
	s := newShell(t, interceptor.Funcs{}, aTailnet(), aGateway(v1alpha1.DeletionRetain))
	for _, policy := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionRetain, v1alpha1.DeletionDelete, v1alpha1.DeletionRetain, v1alpha1.DeletionDelete} {
		s.change(policy)
		if err := s.reconcile(); err != nil {
			t.Fatal(err)
		}
		if got, want := s.held(), policy == v1alpha1.DeletionDelete; got != want || !slices.Contains(s.tailnet().Finalizers, "x.example/other") {
			t.Errorf("%s: finalizers %v", policy, s.tailnet().Finalizers)
		}
	}
	if err := s.Delete(t.Context(), s.tailnet()); err != nil {
		t.Fatal(err)
	}
	if err := s.reconcile(); err != nil {
		t.Fatal(err)
	}
	c := meta.FindStatusCondition(s.tailnet().Status.Conditions, api.ConditionReady)
	if !s.held() || c.Reason != api.ReasonInUse || c.Message != "The Tailnet is kept until TailnetGateway/lab-gw is gone, which needs it for its teardown." {
		t.Errorf("held %v, %+v", s.held(), c)
	}
	s.change(v1alpha1.DeletionRetain)
	if err := s.reconcile(); err != nil {
		t.Fatal(err)
	}
	if s.held() {
		t.Error("it is held for a gateway that is retained")
	}
}

// What others do to the Tailnet between a read and the write is not lost, and the
// write is made again.
//
// REQ: TD-07
func TestFinalizerOfAnotherRevision(t *testing.T) {
	raced := false
	s := newShell(t, interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, options ...client.PatchOption) error {
		if !raced {
			raced = true
			other := aTailnet()
			if err := c.Get(ctx, client.ObjectKeyFromObject(other), other); err != nil {
				return err
			}
			other.Finalizers = []string{"y.example/new"}
			if err := c.Update(ctx, other); err != nil {
				return err
			}
		}
		return c.Patch(ctx, o, p, options...)
	}}, aTailnet(), aGateway(v1alpha1.DeletionDelete))
	if err := s.reconcile(); err != nil {
		t.Fatal(err)
	}
	if got := s.tailnet().Finalizers; !raced || !slices.Equal(got, []string{"y.example/new", api.FinalizerTeardown}) {
		t.Errorf("raced %v, finalizers %v", raced, got)
	}
}

// A finalizer that may not be written keeps nothing else from being done, and is
// tried again. Where gateways cannot be read it stays as it is.
//
// REQ: TD-07, LC-06
func TestFinalizerCannotBeWritten(t *testing.T) {
	tries := 0
	kind := schema.GroupResource{Group: api.Group, Resource: "tailnets"}
	s := newShell(t, interceptor.Funcs{Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
		tries++
		return apierrors.NewForbidden(kind, "home", nil)
	}}, aTailnet(), aGateway(v1alpha1.DeletionDelete))
	if err := s.reconcile(); err == nil || err.Error() != "the finalizer was not written: the API server refuses the write" || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
	if len(s.tailnet().Status.Conditions) == 0 {
		t.Error("there is no status")
	}
	s = newShell(t, interceptor.Funcs{List: func(_ context.Context, _ client.WithWatch, l client.ObjectList, _ ...client.ListOption) error {
		return apierrors.NewForbidden(kind, "", nil)
	}}, aTailnet(), aGateway(v1alpha1.DeletionDelete))
	if err := s.reconcile(); err != nil || s.held() {
		t.Errorf("%v, held %v", err, s.held())
	}
}

// Of what happens to gateways that alone wakes the Tailnet that may change whether
// it is held.
//
// REQ: TD-07
func TestUsers(t *testing.T) {
	wakes := users()
	with := func(change func(*v1alpha1.TailnetGateway)) *v1alpha1.TailnetGateway {
		g := aGateway(v1alpha1.DeletionDelete)
		change(g)
		return g
	}
	same := with(func(*v1alpha1.TailnetGateway) {})
	retained := with(func(g *v1alpha1.TailnetGateway) { g.Spec.DeletionPolicy = v1alpha1.DeletionRetain })
	elsewhere := with(func(g *v1alpha1.TailnetGateway) { g.Spec.TailnetRef.Name = "other" })
	deleted := with(func(g *v1alpha1.TailnetGateway) { g.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} })
	leaving := with(func(g *v1alpha1.TailnetGateway) {
		g.DeletionTimestamp, g.Finalizers = deleted.DeletionTimestamp, []string{api.FinalizerTeardown}
	})
	reported := with(func(g *v1alpha1.TailnetGateway) { g.Status.ObservedGeneration = 7 })
	for _, row := range []struct {
		why         string
		before, now *v1alpha1.TailnetGateway // nil: it is not there
		want        bool
	}{
		{"made with consent", nil, same, true},
		{"made without", nil, retained, false},
		{"a new status", same, reported, false},
		{"consent", retained, same, true},
		{"consent taken back", same, retained, true},
		{"another Tailnet", same, elsewhere, true},
		{"another Tailnet, without consent", retained, with(func(g *v1alpha1.TailnetGateway) { *g = *retained; g.Spec.TailnetRef.Name = "other" }), false},
		{"deleted, with our finalizer", same, leaving, false},
		{"deleted, without", same, deleted, true},
		{"gone", leaving, nil, true},
		{"gone, and its last state has no finalizer", deleted, nil, true},
		{"gone, without consent", retained, nil, false},
	} {
		if got := passes(wakes, row.before, row.now); got != row.want {
			t.Errorf("%s: %v", row.why, got)
		}
	}
	if requests := used(t.Context(), elsewhere); len(requests) != 1 || requests[0].Name != "other" {
		t.Errorf("%v", requests)
	}
	if wakes.Generic(event.GenericEvent{Object: same}) || used(t.Context(), aTailnet()) != nil {
		t.Error("woken by nothing")
	}
}

func passes(p predicate.Predicate, before, now *v1alpha1.TailnetGateway) bool {
	switch {
	case before == nil:
		return p.Create(event.CreateEvent{Object: now})
	case now == nil:
		return p.Delete(event.DeleteEvent{Object: before})
	}
	return p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: now})
}

// The cache tells whether it is worth to look, and nothing more: what is written
// rests on what is read.
//
// REQ: TD-07, LC-06
func TestGatewaysAreReadUncached(t *testing.T) {
	user, retained := aGateway(v1alpha1.DeletionDelete), aGateway(v1alpha1.DeletionRetain)
	for _, row := range []struct {
		why          string
		cached, live *v1alpha1.TailnetGateway
		lists        int
		held         bool
	}{
		{"both know of nothing", retained, retained, 0, false},
		{"the cache is behind, and will wake it", retained, user, 0, false},
		{"both know", user, user, 1, true},
		{"the cache is wrong", user, retained, 1, false},
	} {
		lists := 0
		s := newShell(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, options ...client.ListOption) error {
			lists++
			return c.List(ctx, l, options...)
		}}, aTailnet(), row.live.DeepCopy())
		s.cache = newShell(t, interceptor.Funcs{}, row.cached.DeepCopy())
		if err := s.reconcile(); err != nil {
			t.Fatal(err)
		}
		if lists < row.lists || row.lists == 0 && lists > 0 || s.held() != row.held {
			t.Errorf("%s: %d lists, held %v", row.why, lists, s.held())
		}
	}
	s := newShell(t, interceptor.Funcs{}, aTailnet(), user)
	s.cache = newShell(t, interceptor.Funcs{}) // as it begins
	if err := s.Delete(t.Context(), s.tailnet()); err != nil {
		t.Fatal(err)
	}
	if err := s.reconcile(); err != nil {
		t.Fatal(err)
	}
	if c := meta.FindStatusCondition(s.tailnet().Status.Conditions, api.ConditionReady); c == nil || c.Reason != api.ReasonInUse {
		t.Errorf("a deletion rests on the cache: %+v", c)
	}
}
