package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Cluster is an API server that is read.
type Cluster struct {
	objects  dynamic.Interface
	metadata metadata.Interface
}

// readLimit bounds one request, where the kubeconfig does not.
const readLimit = 15 * time.Second

// New makes a Cluster; nothing is sent. The error is about the configuration.
func New(config *rest.Config) (*Cluster, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 50, 100 // a gateway is some twenty objects, read at once
	if config.Timeout == 0 {
		config.Timeout = readLimit
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	about, err := metadata.NewForConfig(config)
	return &Cluster{objects, about}, err
}

// resource is a kind as the API server names it in paths.
func resource(group, version, plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
}

var (
	gateways = resource(api.Group, api.Version, "tailnetgateways")
	tailnets = resource(api.Group, api.Version, "tailnets")
	egresses = resource(api.Group, api.Version, "tailnetegresses")

	configMaps  = resource("", "v1", "configmaps")
	secrets     = resource("", "v1", "secrets")
	pods        = resource("", "v1", "pods")
	deployments = resource("apps", "v1", "deployments")
	leases      = resource("coordination.k8s.io", "v1", "leases")
)

// nine are the resources of the nine's kinds.
var nine = map[string]schema.GroupVersionResource{
	"ServiceAccount":      resource("", "v1", "serviceaccounts"),
	"Role":                resource("rbac.authorization.k8s.io", "v1", "roles"),
	"RoleBinding":         resource("rbac.authorization.k8s.io", "v1", "rolebindings"),
	"ConfigMap":           configMaps,
	"Service":             resource("", "v1", "services"),
	"PodDisruptionBudget": resource("policy", "v1", "poddisruptionbudgets"),
	"StatefulSet":         resource("apps", "v1", "statefulsets"),
}

// get reads an object; namespace is empty for a cluster-scoped one.
func get[T any](ctx context.Context, c *Cluster, of schema.GroupVersionResource, namespace, name string) observe.Fact[*T] {
	u, err := c.objects.Resource(of).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return failed[*T](err)
	}
	v, err := typed[T](u)
	if err != nil {
		return observe.Unknown[*T](observe.Unreadable)
	}
	return observe.Known(v)
}

// list reads the objects of a namespace, or cluster-scoped ones.
func list[T any](ctx context.Context, c *Cluster, of schema.GroupVersionResource, namespace string) ([]T, error) {
	l, err := c.objects.Resource(of).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	out := make([]T, 0, len(l.Items))
	for i := range l.Items {
		v, err := typed[T](&l.Items[i])
		if err != nil {
			return nil, err
		}
		out = append(out, *v)
	}
	return out, nil
}

func typed[T any](u *unstructured.Unstructured) (*T, error) {
	v := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, v); err != nil {
		return nil, err
	}
	return v, nil
}

// notThere reports whether there is no such object; that there is no such kind is
// another answer, which is not the API server's own Status.
func notThere(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// failed is the fact that a read came to with an error.
func failed[T any](err error) observe.Fact[T] {
	if notThere(err) {
		return observe.Absent[T]()
	}
	return observe.Unknown[T](classOf(err))
}

func classOf(err error) observe.Class {
	var status apierrors.APIStatus
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return observe.Denied
	case !errors.As(err, &status), status.Status().Code >= 500, apierrors.IsTooManyRequests(err):
		return observe.Unreachable
	}
	return observe.Unreadable
}

var errNoCRD = errors.New("the cluster does not know TailnetGateways: the CRDs are not installed")

// Gateways are all gateways, in the order of their names. The error is for people.
func (c *Cluster) Gateways(ctx context.Context) ([]v1alpha1.TailnetGateway, error) {
	all, err := list[v1alpha1.TailnetGateway](ctx, c, gateways, "")
	if apierrors.IsNotFound(err) {
		return nil, errNoCRD
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list TailnetGateways: %w", err)
	}
	return all, nil
}

// NoGateway is the error of a gateway that does not exist.
type NoGateway struct{ Name string }

// Error names the gateway.
func (e NoGateway) Error() string { return "there is no " + api.KindTailnetGateway + "/" + e.Name }

// Gateway is one gateway. The error is NoGateway, or for people.
func (c *Cluster) Gateway(ctx context.Context, name string) (*v1alpha1.TailnetGateway, error) {
	u, err := c.objects.Resource(gateways).Get(ctx, name, metav1.GetOptions{})
	switch {
	case notThere(err):
		return nil, NoGateway{name}
	case apierrors.IsNotFound(err):
		return nil, errNoCRD
	case err != nil:
		return nil, fmt.Errorf("cannot read TailnetGateway/%s: %w", name, err)
	}
	return typed[v1alpha1.TailnetGateway](u)
}
