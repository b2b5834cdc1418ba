package tailnets

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
)

// A client of which the CA bundle or the key is gone is not polled with any more: the
// gateways learn that there is none.
//
// REQ: LC-06
func TestNoLongerThere(t *testing.T) {
	for why, lose := range map[string]func(s *shell) error{
		"no CA bundle": func(s *shell) error {
			return s.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: api.DefaultOperatorNamespace, Name: "ca"}})
		},
		"another's Secret": func(s *shell) error {
			secret := s.working()
			secret.Labels = nil
			return s.Update(t.Context(), secret)
		},
	} {
		s, _ := withHeadscale(t)
		if _, ok := s.clients.kept("home"); !ok {
			t.Fatal("the Tailnet has no client")
		}
		if err := lose(s); err != nil {
			t.Fatal(err)
		}
		if err := s.reconcile(); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.clients.kept("home"); ok {
			t.Errorf("%s, and the client is kept", why)
		}
	}
}
