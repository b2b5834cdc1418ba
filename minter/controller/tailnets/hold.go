package tailnets

import (
	"context"
	"errors"
	"slices"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// hold decides on the finalizer of a Tailnet, from all gateways (TD-07). They are
// read only where something is to be written or said: as long as the Tailnet lives
// and the cache knows of nothing, they are not listed at every look.
func (r *Reconciler) hold(ctx context.Context, t *v1alpha1.Tailnet) teardown.Holding {
	if t.DeletionTimestamp == nil && r.cache != nil {
		var l v1alpha1.TailnetGatewayList
		err := r.cache.List(ctx, &l, client.UnsafeDisableDeepCopy)
		if err == nil && teardown.Hold(t, r.cluster.Namespace, observe.Known(l.Items)).Step.Do == verdict.None {
			return teardown.Holding{}
		}
	}
	gateways := observe.Map(kube.List[v1alpha1.TailnetGatewayList](ctx, r.cluster, nil),
		func(l *v1alpha1.TailnetGatewayList) []v1alpha1.TailnetGateway { return l.Items })
	return teardown.Hold(t, r.cluster.Namespace, gateways)
}

// finalize adds or removes the minter's finalizer, and touches nothing else. That
// the Tailnet was changed meanwhile is no error: it is looked at again.
func (r *Reconciler) finalize(ctx context.Context, log logr.Logger, t *v1alpha1.Tailnet, s verdict.Step) error {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	err := r.cluster.Finalize(ctx, t.DeepCopy(), s.Do == verdict.AddFinalizer)
	outcome := "done"
	switch {
	case errors.Is(err, kube.Conflict):
		outcome, err = "raced", nil
	case errors.Is(err, kube.Lost):
		outcome = "lost"
	case err != nil:
		outcome = "failed"
	}
	log.Info("step", "step", s.Do, "outcome", outcome)
	r.metrics.Step(api.KindTailnet, t.Name, string(s.Do), outcome)
	return err
}

// users lets those changes of a gateway through that may change whether its Tailnet
// is held. Its status is none of them, nor is anything of one that is retained.
func users() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return needs(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, after := needs(e.ObjectOld), needs(e.ObjectNew)
			return before != after || after && !slices.Equal(tailnetsOf(e.ObjectOld), tailnetsOf(e.ObjectNew))
		},
		DeleteFunc: func(e event.DeleteEvent) bool { // its finalizer is gone by then
			g, ok := e.Object.(*v1alpha1.TailnetGateway)
			return ok && g.Spec.DeletionPolicy == v1alpha1.DeletionDelete
		},
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

func needs(o client.Object) bool {
	g, ok := o.(*v1alpha1.TailnetGateway)
	return ok && teardown.Needs(g)
}

// used is the Tailnet that a gateway refers to.
func used(_ context.Context, o client.Object) []reconcile.Request { return tailnetsOf(o) }

func tailnetsOf(o client.Object) []reconcile.Request {
	g, ok := o.(*v1alpha1.TailnetGateway)
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: string(g.Spec.TailnetRef.Name)}}}
}
