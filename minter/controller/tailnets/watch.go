package tailnets

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Workers is how many Tailnets are reconciled at the same time: a Headscale that
// does not answer holds up only its own.
const Workers = 4

// SetUp lets the manager run the reconciler and the polls. Watches only wake it.
func (r *Reconciler) SetUp(mgr ctrl.Manager) error {
	if err := mgr.Add(r.nodes); err != nil {
		return err
	}
	r.cache = mgr.GetClient()
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.Tailnet{}).
		Watches(&v1alpha1.TailnetGateway{}, handler.EnqueueRequestsFromMapFunc(used), builder.WithPredicates(users())).
		WatchesMetadata(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.named)).
		WatchesRawSource(source.Channel(r.nodes.tailnets, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: Workers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](100*time.Millisecond, 30*time.Second),
		}).
		Complete(r)
}

// named are the Tailnets that name a ConfigMap. One that was never looked at is
// about to be.
func (r *Reconciler) named(_ context.Context, o client.Object) []reconcile.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var requests []reconcile.Request
	for tailnet, names := range r.refers {
		if slices.Contains(names, o.GetName()) {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: tailnet}})
		}
	}
	return requests
}
