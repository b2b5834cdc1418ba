package kube

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Cluster reads and writes one API server, and caches nothing (LC-06).
type Cluster struct {
	client client.Client

	// Namespace is the one that the minter runs in and is responsible for; every
	// namespaced object lies there (CF-01, RN-12).
	Namespace string
}

// Scheme knows the types that the minter reads and writes.
func Scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(s); err != nil {
		return nil, err
	}
	return s, v1alpha1.AddToScheme(s)
}

// New makes a Cluster; nothing is sent. The error is about the configuration.
func New(config *rest.Config, scheme *runtime.Scheme, namespace string) (*Cluster, error) {
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("the API server's configuration: %w", err)
	}
	return Over(c, namespace), nil
}

// Over is a Cluster on a client that caches nothing.
func Over(c client.Client, namespace string) *Cluster { return &Cluster{c, namespace} }

// Object is a pointer to a typed struct.
type Object[T any] interface {
	*T
	client.Object
}

// Read reads an object of the operator namespace, or a cluster-scoped one.
func Read[T any, P Object[T]](ctx context.Context, c *Cluster, name string) observe.Fact[P] {
	p := P(new(T))
	err := c.client.Get(ctx, c.key(p, name), p)
	switch {
	case err == nil:
		return observe.Known(p)
	case apierrors.IsNotFound(err):
		return observe.Absent[P]()
	default:
		return observe.Unknown[P](classOf(err))
	}
}

// ObjectList is a pointer to a typed list.
type ObjectList[T any] interface {
	*T
	client.ObjectList
}

// List reads all objects of a kind in the operator namespace, or all that are
// cluster-scoped, with the labels.
func List[T any, P ObjectList[T]](ctx context.Context, c *Cluster, labels map[string]string) observe.Fact[P] {
	p := P(new(T))
	options := []client.ListOption{client.MatchingLabels(labels)}
	if namespaced(p) {
		options = append(options, client.InNamespace(c.Namespace))
	}
	if err := c.client.List(ctx, p, options...); err != nil {
		return observe.Unknown[P](classOf(err))
	}
	return observe.Known(p)
}

// namespaced tells the lists of the minter's own cluster-scoped kinds from all
// others that it reads.
func namespaced(l client.ObjectList) bool {
	switch l.(type) {
	case *v1alpha1.TailnetGatewayList, *v1alpha1.TailnetList:
		return false
	}
	return true
}

func (c *Cluster) key(o client.Object, name string) types.NamespacedName {
	switch o.(type) {
	case *v1alpha1.TailnetGateway, *v1alpha1.Tailnet:
		return types.NamespacedName{Name: name}
	}
	return types.NamespacedName{Namespace: c.Namespace, Name: name}
}

// Create creates an object, which then holds the server's answer: its UID and
// revision come from nowhere else (LC-08, MT-02).
func (c *Cluster) Create(ctx context.Context, o client.Object) error {
	o.SetNamespace(c.Namespace)
	return result(c.client.Create(ctx, o))
}

// Swap replaces an object of which the revision is set. It is Conflict if the
// object has another by now.
func (c *Cluster) Swap(ctx context.Context, o client.Object) error {
	if o.GetResourceVersion() == "" {
		return Refused
	}
	return result(c.client.Update(ctx, o))
}

// Delete deletes the object of a name, if it still is the one with the UID and,
// where a revision is given, unchanged since. One that is gone is no error; any
// other is Conflict.
func (c *Cluster) Delete(ctx context.Context, o client.Object, uid, revision string) error {
	if uid == "" {
		return Refused
	}
	o.SetNamespace(c.Namespace)
	is := metav1.Preconditions{UID: (*types.UID)(&uid)}
	if revision != "" {
		is.ResourceVersion = &revision
	}
	err := c.client.Delete(ctx, o, &client.DeleteOptions{Preconditions: &is})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return result(err)
}

// Status writes the status of a custom resource of which the revision is set
// (ST-02).
func (c *Cluster) Status(ctx context.Context, o client.Object) error {
	if o.GetResourceVersion() == "" {
		return Refused
	}
	return result(c.client.Status().Update(ctx, o))
}

// Finalize adds the minter's finalizer to a custom resource, or removes it, if the
// resource still has the revision. Nothing but its finalizers is sent.
func (c *Cluster) Finalize(ctx context.Context, o client.Object, held bool) error {
	revision := o.GetResourceVersion()
	if revision == "" {
		return Refused
	}
	finalizers := slices.DeleteFunc(slices.Clone(o.GetFinalizers()), func(f string) bool { return f == api.FinalizerTeardown })
	if held {
		finalizers = append(finalizers, api.FinalizerTeardown)
	}
	patch, err := finalizerPatch(string(o.GetUID()), revision, finalizers)
	if err != nil {
		return Refused
	}
	return result(c.client.Patch(ctx, o, client.RawPatch(types.MergePatchType, patch)))
}
