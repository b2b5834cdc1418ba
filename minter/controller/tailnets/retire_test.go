package tailnets

import (
	"context"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

// withHeadscale is a shell whose Tailnet has all that it names, and its working key.
func withHeadscale(t *testing.T) (*shell, *headscaledouble.Server) {
	t.Helper()
	hs := headscaledouble.Start(headscaledouble.Options{})
	t.Cleanup(hs.Close)
	in := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: api.DefaultOperatorNamespace, Name: name}
	}
	tailnet := aTailnet()
	tailnet.Finalizers = nil
	tailnet.Spec.ControlURL = v1alpha1.URL(hs.URL)
	tailnet.Spec.CABundleConfigMapRef = &v1alpha1.CABundleRef{Name: "ca"}
	s := newShell(t, interceptor.Funcs{Create: created}, tailnet, aGateway(v1alpha1.DeletionDelete),
		&corev1.ConfigMap{ObjectMeta: in("ca"), Data: map[string]string{api.DefaultCAKey: string(hs.CA())}},
		&corev1.Secret{ObjectMeta: in(api.DefaultBootstrapName), Data: map[string][]byte{api.DefaultBootstrapKey: []byte(hs.CreateAPIKey(time.Hour))}})
	if err := s.reconcile(); err != nil {
		t.Fatal(err)
	}
	if s.working() == nil || !s.held() {
		t.Fatal("the Tailnet has no working key, or is not held")
	}
	return s, hs
}

// created gives an object the UID that an API server would.
func created(ctx context.Context, c client.WithWatch, o client.Object, options ...client.CreateOption) error {
	o.SetUID("uid-of-" + types.UID(o.GetName()))
	return c.Create(ctx, o, options...)
}

// working is the working key's Secret, or nil.
func (s *shell) working() *corev1.Secret {
	s.Helper()
	secret := &corev1.Secret{}
	switch err := s.Get(s.Context(), client.ObjectKey{Namespace: api.DefaultOperatorNamespace, Name: "home-apikey"}, secret); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		s.Fatal(err)
	}
	return secret
}

// A held Tailnet that is deleted goes with its working key once no gateway needs it:
// Headscale refuses the key, and its Secret is gone.
//
// REQ: TD-07
func TestKeyGoesWithItsTailnet(t *testing.T) {
	s, hs := withHeadscale(t)
	key := sealed.New(s.working().Data[api.WorkingKeySecretKey])
	c, err := headscale.New(headscale.Options{URL: hs.URL, CAPEM: hs.CA(), Key: key, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := s.Delete(t.Context(), s.tailnet()); err != nil {
		t.Fatal(err)
	}
	if err := s.reconcile(); err != nil || s.working() == nil {
		t.Fatalf("%v, or the key is gone before its gateway", err)
	}
	s.change(v1alpha1.DeletionRetain)
	if err := s.reconcile(); err != nil {
		t.Fatal(err)
	}
	if s.tailnet() != nil || s.working() != nil {
		t.Errorf("left: the Tailnet %v, its key %v", s.tailnet() != nil, s.working() != nil)
	}
	if _, err := c.APIKeys(t.Context()); headscale.ClassOf(err) != headscale.Unauthorized {
		t.Errorf("the key still works: %v", err)
	}
}

// Where Headscale does not answer the Tailnet stays, but not for ever.
//
// REQ: TD-07
func TestKeyOfASilentHeadscale(t *testing.T) {
	s, hs := withHeadscale(t)
	now := time.Now()
	s.now = func() time.Time { return now }
	s.change(v1alpha1.DeletionRetain)
	hs.Fail(headscaledouble.Fault{Method: http.MethodPost, Path: "/api/v1/apikey/expire", Answer: headscaledouble.Drop})
	if err := s.Delete(t.Context(), s.tailnet()); err != nil {
		t.Fatal(err)
	}
	looks := 0
	for s.tailnet() != nil && looks < 60 {
		if err := s.reconcile(); err != nil {
			t.Fatal(err)
		}
		looks++
		now = now.Add(10 * time.Second)
	}
	if asked := hs.Count(http.MethodPost, "/api/v1/apikey/expire"); looks < 3 || looks == 60 || asked != 3 || s.working() != nil {
		t.Errorf("%d looks, asked %d times, the key is left: %v", looks, asked, s.working() != nil)
	}
}
