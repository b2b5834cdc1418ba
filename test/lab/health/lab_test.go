//go:build lab && long && linux

package health

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

const namespace = api.DefaultOperatorNamespace

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) {
	labtest.MainWithMinter(m, lab.Options{Parts: []lab.Part{lab.Node, lab.Headscale}}, &theLab)
}

// moreRoutes is a route more, in Git.
const moreRoutes = labtest.HomeLayer + `    - {op: add, path: /spec/routes/lan/-, value: 192.168.30.0/24}
`

// bootstrap stores a key of Headscale's API, which the minter notices some seconds
// later.
func bootstrap(w *labtest.World, key string) {
	w.Helper()
	secrets := w.Client(apiserver.Admin).CoreV1().Secrets(namespace)
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: api.DefaultBootstrapName}, Data: map[string][]byte{api.DefaultBootstrapKey: []byte(key)}}
	_, err := secrets.Update(w.Context(), s, metav1.UpdateOptions{})
	if err != nil {
		_, err = secrets.Create(w.Context(), s, metav1.CreateOptions{})
	}
	if err != nil {
		w.Fatal(err)
	}
}
