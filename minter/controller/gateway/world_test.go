package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"tsunaro.io/gateway/minter/controller/tailnets"
	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/completed"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

const namespace = api.DefaultOperatorNamespace

// world is the reconciler with completed gateways, on an API server and a Headscale
// that are none.
type world struct {
	*testing.T
	*Reconciler
	*mapper
	client    client.WithWatch
	headscale *headscaledouble.Server
	hosts     *corev1.ConfigMap

	mu    sync.Mutex
	calls []string                // requests to the API server
	meet  func(call string)       // what happens at one, before it; may be nil
	fails func(call string) error // how one is answered instead; may be nil
}

// newWorld has a Tailnet with as many gateways, whose zones are gw-N.example, and
// has looked at each once.
func newWorld(t *testing.T, gateways int) *world {
	t.Helper()
	scheme, err := kube.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t}
	w.client = fake.NewClientBuilder().WithScheme(scheme).WithIndex(&v1alpha1.TailnetGateway{}, waking, keysOf).
		WithStatusSubresource(&v1alpha1.Tailnet{}, &v1alpha1.TailnetGateway{}, &corev1.Pod{}).Build()
	w.headscale = headscaledouble.Start(headscaledouble.Options{})
	t.Cleanup(w.headscale.Close)
	told, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	cluster := kube.Over(w.counted(), namespace)
	nodes := tailnets.NewNodes(tailnets.NewClients(cluster, headscale.Options{Tries: 1}, told.Headscale), time.Hour)
	w.Reconciler = New(cluster, nodes, told, &events.FakeRecorder{})
	w.mapper = &mapper{cache: w.client, cluster: cluster, agenda: w.Reconciler.agenda, echoes: w.Reconciler.echoes}
	w.populate(gateways)
	w.update(w.hosts, w.hosts) // the source is seen for the first time
	for i := range gateways {
		w.look(name(i))
	}
	return w
}

func name(i int) string { return fmt.Sprintf("gw-%d", i) }

func (w *world) populate(gateways int) {
	w.Helper()
	tailnet := &v1alpha1.Tailnet{
		ObjectMeta: metav1.ObjectMeta{Name: "home", UID: "0b7b1a52-2f0b-4b0e-8f0a-6d3c6f6c0001", Generation: 1},
		Spec: v1alpha1.TailnetSpec{
			ControlURL: "https://headscale.example", APIURL: v1alpha1.URL(w.headscale.URL),
			CABundleConfigMapRef: &v1alpha1.CABundleRef{Name: "headscale-ca"},
		},
	}
	w.hosts = &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: api.DefaultHostsName, Namespace: namespace, UID: "h-uid", Labels: map[string]string{api.LabelTailnet: "home"}},
		Data:       map[string]string{api.DefaultHostsKey: "10.0.0.1 nas.gw-0.example\n"},
	}
	key := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: api.WorkingKeySecretName("home"), Namespace: namespace, Labels: map[string]string{api.LabelTailnet: "home"}},
		Data:       map[string][]byte{api.WorkingKeySecretKey: []byte(w.headscale.CreateAPIKey(time.Hour))},
	}
	ca := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "headscale-ca", Namespace: namespace},
		Data:       map[string]string{api.DefaultCAKey: string(w.headscale.CA())},
	}
	for _, o := range []client.Object{tailnet, w.hosts, key, ca} {
		if err := w.client.Create(w.Context(), o); err != nil {
			w.Fatal(err)
		}
	}
	m := completed.Maker{Client: w.client, Namespace: namespace, Tailnet: tailnet, Hosts: w.hosts}
	entries := map[string]registry.Entry{}
	for i := range gateways {
		made, err := m.Make(w.Context(), aGateway(i), i)
		if err != nil {
			w.Fatal(err)
		}
		entries[name(i)] = made.Entry
		w.headscale.AddNode(made.Node)
	}
	if err := m.Register(w.Context(), entries); err != nil {
		w.Fatal(err)
	}
}

func aGateway(i int) *v1alpha1.TailnetGateway {
	net := fmt.Sprintf("10.%d.%d", i>>8, i&255)
	return &v1alpha1.TailnetGateway{
		ObjectMeta: metav1.ObjectMeta{Name: name(i)},
		Spec: v1alpha1.TailnetGatewaySpec{
			Suspend: new(bool), TailnetRef: v1alpha1.GatewayTailnetRef{Name: "home"}, Tags: []v1alpha1.Tag{"tag:gateway"},
			Routes: v1alpha1.Routes{LAN: []v1alpha1.Prefix{v1alpha1.Prefix(net + ".0/26")}}, TailnetLBCIDR: v1alpha1.Prefix(net + ".64/26"),
			LoadBalancerIP: v1alpha1.IPv4(net + ".65"),
			DNS: v1alpha1.DNS{
				Zone: v1alpha1.Zone(name(i) + ".example"), ServiceName: v1alpha1.ServiceName(name(i) + "-dns"),
				ClusterIP: v1alpha1.IPv4(net + ".129"),
			},
		},
	}
}

// counted notes every request to the API server.
func (w *world) counted() client.Client {
	note := func(verb string, o client.Object, name string) error {
		call := verb + " " + strings.TrimPrefix(fmt.Sprintf("%T", o), "*") + "/" + name
		w.mu.Lock()
		w.calls = append(w.calls, call)
		meet, fails := w.meet, w.fails
		w.mu.Unlock()
		if meet != nil {
			meet(call)
		}
		if fails != nil {
			return fails(call)
		}
		return nil
	}
	return interceptor.NewClient(w.client, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if err := note("get", o, key.Name); err != nil {
				return err
			}
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			w.mu.Lock()
			w.calls = append(w.calls, "list "+strings.TrimPrefix(fmt.Sprintf("%T", l), "*"))
			w.mu.Unlock()
			return c.List(ctx, l, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if err := note("update", o, o.GetName()); err != nil {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			if err := note("update "+sub, o, o.GetName()); err != nil {
				return err
			}
			return c.SubResource(sub).Update(ctx, o, opts...)
		},
	})
}

// made are the requests to the API server since it was asked last.
func (w *world) made() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	return calls
}

// look reconciles a gateway.
func (w *world) look(name string) {
	w.Helper()
	if _, err := w.Reconciler.Reconcile(w.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: name}}); err != nil {
		w.Fatal(err)
	}
}

// gateway is one as it is now.
func (w *world) gateway(name string) *v1alpha1.TailnetGateway {
	w.Helper()
	g := &v1alpha1.TailnetGateway{}
	if err := w.client.Get(w.Context(), client.ObjectKey{Name: name}, g); err != nil {
		w.Fatal(err)
	}
	return g
}

// says is a condition of a gateway, as status/reason.
func (w *world) says(name, condition string) string {
	w.Helper()
	c := apimeta.FindStatusCondition(w.gateway(name).Status.Conditions, condition)
	if c == nil {
		return ""
	}
	return string(c.Status) + "/" + c.Reason
}

// live is a gateway's GW-coredns.
func (w *world) live(name string) *corev1.ConfigMap {
	w.Helper()
	c := &corev1.ConfigMap{}
	if err := w.client.Get(w.Context(), client.ObjectKey{Namespace: namespace, Name: api.CoreDNSName(name)}, c); err != nil {
		w.Fatal(err)
	}
	return c
}

// change changes the hosts source, and returns who is woken, and to what.
func (w *world) change(to func(*corev1.ConfigMap)) woken {
	w.Helper()
	before := w.hosts.DeepCopy()
	w.edit(to)
	return w.update(before, w.hosts)
}

// edit changes the hosts source, of which nobody learns.
func (w *world) edit(to func(*corev1.ConfigMap)) {
	w.Helper()
	to(w.hosts)
	if err := w.client.Update(w.Context(), w.hosts); err != nil {
		w.Fatal(err)
	}
}

func text(lines string) func(*corev1.ConfigMap) {
	return func(c *corev1.ConfigMap) { c.Data = map[string]string{api.DefaultHostsKey: lines} }
}

// woken are the priorities by which gateways were put into the queue.
type woken map[string]int

func (w woken) names() string {
	var all []string
	for name := range w {
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// update is the event that an object of a kind that wakes by metadata has changed.
func (w *world) update(before, after client.Object) woken {
	was, q := "", newRecorder()
	if before.GetResourceVersion() == after.GetResourceVersion() {
		was = "0"
	}
	w.mapper.handler(w.mapper.ofObject, always).Update(w.Context(), event.UpdateEvent{ObjectOld: metadata(before, was), ObjectNew: metadata(after, "")}, q)
	return q.woken
}

// metadata is what a watch of metadata has of an object.
func metadata(o client.Object, revision string) client.Object {
	m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: o.GetName(), Namespace: o.GetNamespace(), UID: o.GetUID(), ResourceVersion: o.GetResourceVersion(), Labels: o.GetLabels(),
	}}
	if revision != "" {
		m.ResourceVersion = revision
	}
	return m
}

// recorder is a queue of which nothing is taken.
type recorder struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	woken woken
}

func newRecorder() *recorder { return &recorder{woken: woken{}} }

func (r *recorder) Add(item reconcile.Request) { r.AddWithOpts(priorityqueue.AddOpts{}, item) }

func (r *recorder) AddWithOpts(o priorityqueue.AddOpts, items ...reconcile.Request) {
	for _, i := range items {
		p := 0
		if o.Priority != nil {
			p = *o.Priority
		}
		if before, ok := r.woken[i.Name]; ok {
			p = max(p, before)
		}
		r.woken[i.Name] = p
	}
}

// updateGateway is the event that a gateway has changed.
func (w *world) updateGateway(before, after client.Object) woken {
	q := newRecorder()
	w.mapper.handler(w.mapper.ofGateway, always).Update(w.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: after}, q)
	return q.woken
}

// wait reconciles a gateway, and returns when it is looked at again.
func (w *world) wait(name string) time.Duration {
	w.Helper()
	result, err := w.Reconciler.Reconcile(w.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: name}})
	if err != nil {
		w.Fatal(err)
	}
	return result.RequeueAfter
}
