package gateway

import (
	"context"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Workers is how many gateways are reconciled at the same time.
const Workers = 4

// Watched are the kinds of objects that wake a gateway by their metadata. Secrets
// are not among them: nobody may list them.
func Watched() []client.Object {
	return []client.Object{
		&corev1.ServiceAccount{}, &rbacv1.Role{}, &rbacv1.RoleBinding{}, &corev1.ConfigMap{}, &corev1.Service{},
		&policyv1.PodDisruptionBudget{}, &appsv1.StatefulSet{}, &corev1.Pod{},
	}
}

// SetUp lets the manager run the reconciler. Watches, and changes of nodes, only
// wake it. The manager's cache holds custom resources and metadata.
func (r *Reconciler) SetUp(mgr ctrl.Manager) error {
	m := &mapper{cache: mgr.GetClient(), cluster: r.cluster}
	b := ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.TailnetGateway{}).
		Watches(&v1alpha1.Tailnet{}, handler.EnqueueRequestsFromMapFunc(m.ofTailnet)).
		Watches(&v1alpha1.TailnetEgress{}, handler.EnqueueRequestsFromMapFunc(m.ofEgress)).
		WatchesRawSource(source.Channel(r.nodes.Changed(), &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: Workers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](100*time.Millisecond, 30*time.Second),
		})
	for _, kind := range Watched() {
		b = b.WatchesMetadata(kind, handler.EnqueueRequestsFromMapFunc(m.ofObject), builder.OnlyMetadata)
	}
	return b.Complete(r)
}

// mapper tells whom an object concerns.
type mapper struct {
	cache   client.Reader // the manager's
	cluster *kube.Cluster

	mu       sync.Mutex
	registry map[string]string // as it was last seen
}

func (m *mapper) concerned(ctx context.Context, whom func(*v1alpha1.TailnetGateway) bool) []reconcile.Request {
	var list v1alpha1.TailnetGatewayList
	if err := m.cache.List(ctx, &list); err != nil {
		return nil // the cache is not there yet, and every gateway is about to be looked at
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if g := &list.Items[i]; whom(g) {
			requests = append(requests, request(g.Name))
		}
	}
	return requests
}

func request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}

func (m *mapper) ofTailnet(ctx context.Context, o client.Object) []reconcile.Request {
	return m.concerned(ctx, func(g *v1alpha1.TailnetGateway) bool { return string(g.Spec.TailnetRef.Name) == o.GetName() })
}

func (m *mapper) ofEgress(ctx context.Context, o client.Object) []reconcile.Request {
	e, ok := o.(*v1alpha1.TailnetEgress)
	if !ok {
		return nil
	}
	return m.concerned(ctx, func(g *v1alpha1.TailnetGateway) bool {
		return string(g.Spec.TailnetRef.Name) == string(e.Spec.TailnetRef.Name)
	})
}

// ofObject wakes by what an object says about itself: whose it is, whose hosts
// source, whose Pod's name it has.
func (m *mapper) ofObject(ctx context.Context, o client.Object) []reconcile.Request {
	labels := o.GetLabels()
	if tailnet := labels[api.LabelTailnet]; tailnet != "" {
		return m.concerned(ctx, func(g *v1alpha1.TailnetGateway) bool { return string(g.Spec.TailnetRef.Name) == tailnet })
	}
	if o.GetName() == api.BindingsName {
		return m.ofRegistry(ctx)
	}
	return m.concerned(ctx, func(g *v1alpha1.TailnetGateway) bool {
		return string(g.UID) == labels[api.LabelGatewayUID] || g.Name == labels[api.LabelGateway] || slices.Contains(names(g), o.GetName())
	})
}

// ofRegistry wakes those whose entry has changed. Every gateway's life changes the
// registry several times, and is nobody else's business.
func (m *mapper) ofRegistry(ctx context.Context) []reconcile.Request {
	fact := kube.Read[corev1.ConfigMap](ctx, m.cluster, api.BindingsName)
	if fact.Unknown() {
		return m.concerned(ctx, func(*v1alpha1.TailnetGateway) bool { return true })
	}
	var now map[string]string
	if c, ok := fact.Get(); ok {
		now = c.Data
	}
	m.mu.Lock()
	before := m.registry
	m.registry = now
	m.mu.Unlock()
	return m.concerned(ctx, func(g *v1alpha1.TailnetGateway) bool { return registry.Changed(before, now, g.Name) })
}

// names are those that an object would be in the way by.
func names(g *v1alpha1.TailnetGateway) []string {
	return []string{
		g.Name, g.Name + "-0", string(g.Spec.DNS.ServiceName), api.LBServiceName(g.Name), api.CoreDNSName(g.Name),
		api.AuthReceiptName(g.Name), api.FreshName(g.Name), api.FreshNextName(g.Name),
	}
}
