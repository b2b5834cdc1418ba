//go:build lab && linux

package tailnet

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	real "tsunaro.io/gateway/test/testbed/headscale"
	double "tsunaro.io/gateway/test/testbed/headscaledouble"
	"tsunaro.io/gateway/test/testbed/loopback"
)

// world is a Tailnet of a test's own, with everything that it names, and the
// Headscale that it means.
type world struct {
	*testing.T
	client.WithWatch
	name    string
	url     string
	ca      []byte
	key     func(lifetime time.Duration) string // makes an API key
	others  string                              // an API key that is nobody's business
	secrets *canaries

	ahead atomic.Int64     // of the minters' clock, and the double's
	there func() time.Time // Headscale's clock
}

var worlds atomic.Int32

// withReal is a world with the real Headscale.
func withReal(t *testing.T) (*world, *real.Server) {
	t.Helper()
	s, err := real.Start(t.Context(), real.Options{Dir: t.TempDir(), Address: loopback.Own()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	w := newWorld(t, s.URL, s.CA(), func(lifetime time.Duration) string {
		key, err := s.CreateAPIKey(t.Context(), lifetime.String())
		if err != nil {
			t.Fatal(err)
		}
		return key
	})
	w.there = time.Now
	return w, s
}

// withDouble is a world with the double.
func withDouble(t *testing.T) (*world, *double.Server) {
	t.Helper()
	clock := &world{}
	s := double.Start(double.Options{Now: func() time.Time { return clock.now() }})
	t.Cleanup(s.Close)
	clock = newWorld(t, s.URL, s.CA(), s.CreateAPIKey)
	clock.there = clock.now
	return clock, s
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// later puts the clock forward, but for that of the real Headscale.
func (w *world) later(d time.Duration) {
	w.Helper()
	w.ahead.Add(int64(d))
	w.nudge()
}

func newWorld(t *testing.T, url string, ca []byte, key func(time.Duration) string) *world {
	t.Helper()
	start(t)
	w := &world{T: t, WithWatch: clientOf(t, apiserver.Admin), name: fmt.Sprintf("t%d", worlds.Add(1)), url: url, ca: ca, secrets: &canaries{}}
	w.key = func(lifetime time.Duration) string {
		k := key(lifetime)
		w.secrets.add(k)
		return k
	}
	w.others = w.key(400 * 24 * time.Hour)
	return w
}

// bootstrapLifetime is that of the key which the user makes.
const bootstrapLifetime = 300 * 24 * time.Hour

// names of what the Tailnet refers to.
func (w *world) caName() string        { return w.name + "-ca" }
func (w *world) hostsName() string     { return w.name + "-hosts" }
func (w *world) bootstrapName() string { return w.name + "-bootstrap" }

// apply makes the Tailnet.
func (w *world) apply(change ...func(*v1alpha1.Tailnet)) {
	w.Helper()
	t := &v1alpha1.Tailnet{
		ObjectMeta: metav1.ObjectMeta{Name: w.name},
		Spec: v1alpha1.TailnetSpec{
			ControlURL:           v1alpha1.URL(w.url),
			CABundleConfigMapRef: &v1alpha1.CABundleRef{Name: v1alpha1.ReferenceName(w.caName())},
			BootstrapSecretRef:   v1alpha1.BootstrapRef{Name: v1alpha1.ReferenceName(w.bootstrapName())},
			DNS:                  v1alpha1.TailnetDNS{HostsConfigMapRef: v1alpha1.HostsRef{Name: v1alpha1.ReferenceName(w.hostsName())}},
		},
	}
	for _, c := range change {
		c(t)
	}
	w.make(t)
}

// make creates an object and deletes it at the end of the test.
func (w *world) make(o client.Object) {
	w.Helper()
	if err := w.Create(w.Context(), o); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		if err := w.Delete(ctx, o); client.IgnoreNotFound(err) != nil {
			w.Error(err)
		}
	})
}

// supply makes what the Tailnet refers to: everything is as it should be.
func (w *world) supply() {
	w.Helper()
	w.supplyCA()
	w.supplyHosts()
	w.supplyBootstrap(w.key(bootstrapLifetime))
}

func (w *world) supplyCA() {
	w.Helper()
	w.make(&corev1.ConfigMap{ObjectMeta: in(w.caName()), Data: map[string]string{"ca.crt": string(w.ca)}})
}

func (w *world) supplyHosts() {
	w.Helper()
	hosts := &corev1.ConfigMap{ObjectMeta: in(w.hostsName()), Data: map[string]string{"hosts": ""}}
	hosts.Labels = map[string]string{api.LabelTailnet: w.name}
	w.make(hosts)
}

func (w *world) supplyBootstrap(key string) {
	w.Helper()
	w.make(&corev1.Secret{ObjectMeta: in(w.bootstrapName()), Data: map[string][]byte{"apikey": []byte(key + "\n")}})
}

func in(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: name} }

// replaceBootstrap is what the user does about a key that does not work.
func (w *world) replaceBootstrap(key string) {
	w.Helper()
	s := get[corev1.Secret](w, w.bootstrapName())
	s.Data["apikey"] = []byte(key)
	if err := w.Update(w.Context(), s); err != nil {
		w.Fatal(err)
	}
}

// get reads an object that is there.
func get[T any, P interface {
	*T
	client.Object
}](w *world, name string) P {
	w.Helper()
	p, err := find[T, P](w, name)
	if err != nil {
		w.Fatal(err)
	}
	return p
}

func find[T any, P interface {
	*T
	client.Object
}](w *world, name string) (P, error) {
	p := P(new(T))
	key := client.ObjectKey{Name: name}
	switch any(p).(type) {
	case *v1alpha1.Tailnet, *v1alpha1.TailnetGateway:
	default:
		key.Namespace = namespace
	}
	return p, w.Get(w.Context(), key, p)
}

func (w *world) tailnet() *v1alpha1.Tailnet { w.Helper(); return get[v1alpha1.Tailnet](w, w.name) }

// working is the Secret of the working key, whose bytes nobody may see.
func (w *world) working() *corev1.Secret {
	w.Helper()
	s := get[corev1.Secret](w, api.WorkingKeySecretName(w.name))
	w.secrets.add(string(s.Data[api.WorkingKeySecretKey]))
	return s
}

func (w *world) hasWorking() bool {
	w.Helper()
	_, err := find[corev1.Secret](w, api.WorkingKeySecretName(w.name))
	if err != nil && !apierrors.IsNotFound(err) {
		w.Fatal(err)
	}
	return err == nil
}

// headscale is a client of a key.
func (w *world) headscale(key string) *headscale.Client {
	w.Helper()
	c, err := headscale.New(headscale.Options{URL: w.url, CAPEM: w.ca, Key: sealed.New(key), Timeout: deadline})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(c.Close)
	return c
}

// listed are the keys that Headscale has, by prefix, as somebody else sees them.
func (w *world) listed() map[string]headscale.APIKey {
	w.Helper()
	keys, err := w.headscale(w.others).APIKeys(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	all := map[string]headscale.APIKey{}
	for _, k := range keys {
		all[k.Prefix] = k
	}
	return all
}

func prefix(key []byte) string {
	p, _ := headscale.APIKeyPrefix(sealed.New(key))
	return p
}

// await waits until the Tailnet's conditions have the reasons. An empty reason is
// any.
func (w *world) await(ready, key string) *v1alpha1.Tailnet {
	w.Helper()
	var t *v1alpha1.Tailnet
	w.until(fmt.Sprintf("Ready is %s and APIKey %s", ready, key), func() bool {
		t = w.tailnet()
		return has(t, api.ConditionReady, ready) && has(t, api.ConditionAPIKey, key)
	}, func() string { return fmt.Sprintf("%+v", t.Status) })
	return t
}

func has(t *v1alpha1.Tailnet, kind, reason string) bool {
	c := meta.FindStatusCondition(t.Status.Conditions, kind)
	return c != nil && (reason == "" || c.Reason == reason)
}

func message(t *v1alpha1.Tailnet, kind string) string {
	if c := meta.FindStatusCondition(t.Status.Conditions, kind); c != nil {
		return c.Message
	}
	return ""
}

func (w *world) wantMessage(t *v1alpha1.Tailnet, text string) {
	w.Helper()
	if got := message(t, api.ConditionReady); !strings.Contains(got, text) {
		w.Errorf("Ready says %q, want %q", got, text)
	}
}

// until polls until the condition holds.
func (w *world) until(what string, holds func() bool, last ...func() string) {
	w.Helper()
	limit := time.NewTimer(deadline)
	defer limit.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			text := ""
			for _, l := range last {
				text += ": " + l()
			}
			w.Fatalf("waited in vain until %s%s", what, text)
		}
	}
}

// nudge wakes the minter, as any change of the Tailnet does: Secrets are not
// watched.
func (w *world) nudge() {
	w.Helper()
	t := w.tailnet()
	before := t.DeepCopy()
	if t.Annotations == nil {
		t.Annotations = map[string]string{}
	}
	t.Annotations["x.example/nudge"] += "x"
	if err := w.Patch(w.Context(), t, client.MergeFrom(before)); err != nil {
		w.Fatal(err)
	}
}
