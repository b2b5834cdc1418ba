package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	conditions "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/controller/gateway"
	"tsunaro.io/gateway/minter/controller/tailnets"
	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

const (
	gatewayText = `
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata: {name: lab-gw, uid: 00000000-0000-4000-8000-000000000001, generation: 3, resourceVersion: "10"}
spec:
  suspend: false
  tailnetRef: {name: home}
  tags: ["tag:gateway"]
  routes: {lan: [192.168.10.0/24]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53}
`
	tailnetText = `
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home, uid: 00000000-0000-4000-8000-000000000002, generation: 1, resourceVersion: "11"}
spec: {controlURL: https://headscale.example}
`
)

func uid(n int) types.UID { return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)) }

func decoded[T any](t *testing.T, text string) *T {
	t.Helper()
	v := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), v); err != nil {
		t.Fatal(err)
	}
	return v
}

// bed is an API server that is none, with a gateway in service and no Headscale.
type bed struct {
	*testing.T
	client.WithWatch
	fault  func(write) fault // nil: none
	writes []string
	serial int
	runs   *gateway.Reconciler
}

// write is one that is about to happen.
type write struct {
	n    int
	verb string
	o    client.Object
}

// fault is what becomes of a write.
type fault uint8

const (
	none   fault = iota
	before       // it does not happen, and no answer comes
	after        // it happens, and no answer comes
)

var errLost = errors.New("no answer")

func newBed(t *testing.T, objects ...client.Object) *bed {
	t.Helper()
	b := &bed{T: t, serial: 100}
	scheme, err := kube.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	b.WithWatch = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.TailnetGateway{}).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.CreateOption) error {
			b.serial++
			o.SetUID(uid(b.serial))
			return b.write("create", o, func() error { return c.Create(ctx, o, options...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.UpdateOption) error {
			return b.write("update", o, func() error { return c.Update(ctx, o, options...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.DeleteOption) error {
			return b.write("delete", o, func() error {
				if err := same(ctx, c, o, options); err != nil {
					return err
				}
				return c.Delete(ctx, o, options...)
			})
		},
	}).Build()
	b.restart()
	return b
}

// same holds a deletion to its UID, which the fake does not.
func same(ctx context.Context, c client.Client, o client.Object, options []client.DeleteOption) error {
	var d client.DeleteOptions
	d.ApplyOptions(options)
	live := o.DeepCopyObject().(client.Object)
	if err := c.Get(ctx, client.ObjectKeyFromObject(o), live); err != nil {
		return err
	}
	if d.Preconditions == nil || d.Preconditions.UID == nil || *d.Preconditions.UID != live.GetUID() {
		return apierrors.NewConflict(schema.GroupResource{}, o.GetName(), errors.New("another UID"))
	}
	return nil
}

func (b *bed) write(verb string, o client.Object, do func() error) error {
	f := none
	if b.fault != nil {
		f = b.fault(write{len(b.writes), verb, o})
	}
	b.writes = append(b.writes, verb+" "+o.GetName())
	if f == before {
		return errLost
	}
	if err := do(); err != nil {
		return err
	}
	if f == after {
		return errLost
	}
	return nil
}

// restart is another process: it knows nothing of what the one before did.
func (b *bed) restart() {
	b.Helper()
	told, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		b.Fatal(err)
	}
	cluster := kube.Over(b, api.DefaultOperatorNamespace)
	clients := tailnets.NewClients(cluster, headscale.Options{Tries: 1}, told.Headscale)
	b.runs = gateway.New(cluster, tailnets.NewNodes(clients, time.Hour), told, &events.FakeRecorder{})
}

func (b *bed) reconcile(name string) error {
	b.Helper()
	_, err := b.runs.Reconcile(b.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: name}})
	return err
}

// configMap is the live object of a name, or nil.
func (b *bed) configMap(name string) *corev1.ConfigMap {
	b.Helper()
	m := &corev1.ConfigMap{}
	switch err := b.Get(b.Context(), client.ObjectKey{Namespace: api.DefaultOperatorNamespace, Name: name}, m); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		b.Fatal(err)
	}
	return m
}

// ready is the condition Ready of the gateway.
func (b *bed) ready() metav1.Condition {
	b.Helper()
	g := &v1alpha1.TailnetGateway{}
	if err := b.Get(b.Context(), client.ObjectKey{Name: "lab-gw"}, g); err != nil {
		b.Fatal(err)
	}
	if c := conditions.FindStatusCondition(g.Status.Conditions, api.ConditionReady); c != nil {
		return *c
	}
	return metav1.Condition{}
}

func in(name string, n int) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: api.DefaultOperatorNamespace, Name: name, UID: uid(n), ResourceVersion: fmt.Sprint(n),
		Labels: map[string]string{api.LabelGatewayUID: string(uid(1)), api.LabelStateUID: string(uid(3))},
	}
}

// complete are the objects of a gateway in service, whose receipt is under a rule.
func complete(t *testing.T, rule int) []client.Object {
	t.Helper()
	g, tailnet := decoded[v1alpha1.TailnetGateway](t, gatewayText), decoded[v1alpha1.Tailnet](t, tailnetText)
	hosts := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: api.DefaultOperatorNamespace, Name: api.DefaultHostsName, Labels: map[string]string{api.LabelTailnet: "home"}},
		Data:       map[string]string{api.DefaultHostsKey: "192.168.10.7 app.lab.example\n"},
	}
	auth := receipt.Auth{
		Gateway: receipt.GatewayScope(g), Tailnet: receipt.TailnetScope(tailnet),
		Secret: receipt.Secret{Name: "lab-gw-auth", UID: string(uid(4)), Revision: "4"}, KeyID: "5", Expires: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
	fresh := receipt.Completion{
		Rule: rule, RenderFormat: 1, Gateway: receipt.GatewaySubject(g), Tailnet: receipt.TailnetSubject(tailnet),
		State: receipt.Reference{Name: "lab-gw-state", UID: string(uid(3))}, Auth: receipt.Reference{Name: "lab-gw-auth-receipt", UID: string(uid(5))},
		KeyID: auth.KeyID, Expires: auth.Expires,
	}
	entry := registry.Entry{GatewayUID: string(uid(1)), StateUID: string(uid(3)), Phase: registry.Complete}
	fixed := true
	all := []client.Object{
		g, tailnet, hosts,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: api.DefaultOperatorNamespace, Name: api.BindingsName}, Data: registry.With(nil, "lab-gw", entry)},
		&corev1.Secret{ObjectMeta: in("lab-gw-state", 3)},
		&corev1.Secret{ObjectMeta: in("lab-gw-auth", 4), Immutable: &fixed},
		&corev1.ConfigMap{ObjectMeta: in("lab-gw-auth-receipt", 5), Immutable: &fixed, Data: map[string]string{api.DataReceipt: string(auth.Encode())}},
	}
	for i, o := range applied(t, g, tailnet, hosts) {
		digest, err := verify.Digest(o)
		if rule == receipt.RuleV010 {
			digest, err = verify.FormerDigest(o)
		}
		if err != nil {
			t.Fatal(err)
		}
		name := observe.Names(g, api.DefaultOperatorNamespace)[i]
		fresh.Objects = append(fresh.Objects, receipt.Object{Kind: name.Kind, Name: name.Name, UID: string(o.GetUID()), Digest: digest})
		all = append(all, o)
	}
	return append(all, &corev1.ConfigMap{ObjectMeta: in("lab-gw-fresh", 6), Immutable: &fixed, Data: map[string]string{api.DataReceipt: string(fresh.Encode())}})
}

// applied are the nine as an engine has made them.
func applied(t *testing.T, g *v1alpha1.TailnetGateway, tailnet *v1alpha1.Tailnet, hosts *corev1.ConfigMap) (nine []client.Object) {
	t.Helper()
	set, err := verify.Bind(*observe.RenderOf(g, tailnet, hosts, nil).Gateway, string(uid(1)), string(uid(3)))
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range set {
		live, err := verify.Decode(o.Kind, o.JSON)
		if err != nil {
			t.Fatal(err)
		}
		live.SetUID(uid(20 + i))
		nine = append(nine, live.(client.Object))
	}
	return nine
}
