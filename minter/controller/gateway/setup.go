package gateway

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

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
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.TailnetGateway{}, waking, keysOf); err != nil {
		return err
	}
	m := &mapper{cache: mgr.GetClient(), cluster: r.cluster, agenda: r.agenda, echoes: r.echoes}
	b := ctrl.NewControllerManagedBy(mgr).
		Named("tailnetgateway").
		Watches(&v1alpha1.TailnetGateway{}, m.handler(m.ofGateway, always)).
		Watches(&v1alpha1.TailnetGateway{}, m.peers()).
		Watches(&v1alpha1.Tailnet{}, m.handler(m.ofTailnet, otherSpec)).
		Watches(&v1alpha1.TailnetEgress{}, m.handler(m.ofEgress, otherSpec)).
		WatchesRawSource(source.Channel(r.nodes.Changed(), m.handler(m.ofGateway, always))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: Workers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](100*time.Millisecond, 30*time.Second),
		})
	for _, kind := range Watched() {
		b = b.WatchesMetadata(kind, m.handler(m.ofObject, always), builder.OnlyMetadata)
	}
	return b.Complete(r)
}
