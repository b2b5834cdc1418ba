//go:build lab

package access

import (
	"errors"
	"slices"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// cluster is the minter's own hand on the API server, with the minter's rights.
func (l lab) cluster() *kube.Cluster {
	l.Helper()
	config, err := l.Config(minter())
	if err != nil {
		l.Fatal(err)
	}
	scheme, err := kube.Scheme()
	if err != nil {
		l.Fatal(err)
	}
	c, err := kube.New(config, scheme, namespace)
	if err != nil {
		l.Fatal(err)
	}
	return c
}

func (l lab) passes(what string, err error) {
	l.Helper()
	if err != nil {
		l.Errorf("%s: %v", what, err)
	}
}

// All that the minter makes, replaces and deletes gets past its rights and the
// policies.
//
// REQ: OP-02
func TestMinterWrites(t *testing.T) {
	l := start(t)
	c, ctx := l.cluster(), t.Context()
	l.open()

	fixed := true
	state := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: api.StateSecretName(gateway), Labels: map[string]string{api.LabelGatewayUID: gatewayUID}}}
	auth := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: api.AuthSecretName(gateway), Labels: state.Labels}, Immutable: &fixed}
	receipt := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: api.AuthReceiptName(gateway), Labels: state.Labels}, Immutable: &fixed}
	fresh := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: api.FreshName(gateway), Labels: state.Labels}, Immutable: &fixed}
	working := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: api.WorkingKeySecretName("home"), Labels: map[string]string{api.LabelTailnet: "home"}}}
	own := []client.Object{state, auth, receipt, fresh, working}
	for _, o := range own {
		l.passes("create "+o.GetName(), c.Create(ctx, o))
	}
	working.Data = map[string][]byte{api.WorkingKeySecretKey: []byte("x")}
	l.passes("replace the working key", c.Swap(ctx, working))

	registry, ok := kube.Read[corev1.ConfigMap](ctx, c, api.BindingsName).Get()
	if !ok {
		t.Fatal("no registry")
	}
	registry.Data[api.BindingKey(gateway, api.BindingPhase)] = api.PhaseMinting
	l.passes("swap the registry", c.Swap(ctx, registry))

	for _, o := range own {
		if err := c.Delete(ctx, o, "another", ""); !errors.Is(err, kube.Conflict) {
			t.Errorf("delete %s of another UID: %v", o.GetName(), err)
		}
		l.passes("delete "+o.GetName(), c.Delete(ctx, o, string(o.GetUID()), o.GetResourceVersion()))
	}
	for _, o := range slices.Backward(l.nine()) {
		live, err := l.dynamic(minter()).Resource(resources[o.GetKind()]).Namespace(namespace).Get(ctx, o.GetName(), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l.passes("delete "+o.GetKind()+" "+o.GetName(), c.Delete(ctx, live, string(live.GetUID()), live.GetResourceVersion()))
	}
}

// Of custom resources it writes the status and its finalizer. A write of the spec,
// which its rights would allow, is refused by the policy.
//
// REQ: OP-02, TD-01, ST-02
func TestMinterAndCustomResources(t *testing.T) {
	l := start(t)
	c, ctx := l.cluster(), t.Context()
	for _, name := range []string{"tailnet.yaml", "gateway.yaml"} {
		l.kubectl(string(l.input(name)), "apply", "--server-side", "-f", "-")
	}
	t.Cleanup(func() {
		l.kubectl("", "delete", "--ignore-not-found", "tailnetgateway/"+gateway, "tailnet/home")
	})
	tailnet, ok := kube.Read[v1alpha1.Tailnet](ctx, c, "home").Get()
	g, too := kube.Read[v1alpha1.TailnetGateway](ctx, c, gateway).Get()
	if !ok || !too {
		t.Fatal("they cannot be read")
	}
	if kube.List[v1alpha1.TailnetList](ctx, c, nil).Unknown() || kube.List[v1alpha1.TailnetGatewayList](ctx, c, nil).Unknown() ||
		kube.List[v1alpha1.TailnetEgressList](ctx, c, nil).Unknown() {
		t.Error("they cannot be listed")
	}
	tailnet.Status.ObservedGeneration, g.Status.ObservedGeneration = 1, 1
	l.passes("the Tailnet's status", c.Status(ctx, tailnet))
	l.passes("the gateway's status", c.Status(ctx, g))
	for _, o := range []client.Object{g, tailnet} {
		l.passes("add the finalizer of "+o.GetName(), c.Finalize(ctx, o, true))
		l.passes("remove it from "+o.GetName(), c.Finalize(ctx, o, false))
	}

	for kind, w := range map[string]struct{ name, spec string }{
		"tailnetgateways": {gateway, `{"spec": {"suspend": true}}`}, "tailnets": {"home", `{"spec": {"allowHTTP": true}}`},
	} {
		_, err := l.dynamic(minter()).Resource(custom(kind)).Patch(ctx, w.name, types.MergePatchType, []byte(w.spec), metav1.PatchOptions{})
		if err == nil || !strings.Contains(err.Error(), "'tsunaro-custom-resources'") {
			t.Errorf("a write of the spec of %s: %v", kind, err)
		}
		live, err := l.dynamic(minter()).Resource(custom(kind)).Get(ctx, w.name, metav1.GetOptions{})
		if err != nil || live.GetGeneration() != 1 {
			t.Errorf("%s: %v, or the generation is not 1: %+v", kind, err, live)
		}
	}
}

// What leader election and events need, as the libraries do it.
func TestLeaseAndEvents(t *testing.T) {
	l := start(t)
	ctx, c := t.Context(), l.client(minter())
	leases := c.CoordinationV1().Leases(namespace)
	lease, err := leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: api.MinterName}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.kubectl("", "delete", "lease", api.MinterName, "--namespace", namespace, "--ignore-not-found")
	})
	_, err = leases.Get(ctx, api.MinterName, metav1.GetOptions{})
	l.passes("get the lease", err)
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	l.passes("renew the lease", err)
	for _, about := range []corev1.ObjectReference{
		{APIVersion: api.APIVersion, Kind: api.KindTailnetGateway, Name: gateway},
		{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Name: api.MinterName, Namespace: namespace},
	} {
		in := about.Namespace
		if in == "" {
			in = metav1.NamespaceDefault
		}
		events := c.CoreV1().Events(in)
		_, err := events.Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: in}, InvolvedObject: about}, metav1.CreateOptions{})
		l.passes("an event in "+in, err)
		_, err = events.Patch(ctx, "x", types.StrategicMergePatchType, []byte(`{"count": 2}`), metav1.PatchOptions{})
		l.passes("the same again in "+in, err)
	}
	_, err = l.client(apiserver.Admin).CoreV1().Events("default").Get(ctx, "x", metav1.GetOptions{})
	l.passes("it is there", err)
}
