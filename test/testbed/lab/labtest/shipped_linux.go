package labtest

import (
	"context"
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/image"
	"tsunaro.io/gateway/test/testbed/lab"
)

// MinterImage is the one that minter/deploy names.
const MinterImage = "ghcr.io/tsunaro/tsunaro-minter:v0.1.0"

// MainWithMinter is Main for a lab whose node has the minter's image.
func MainWithMinter(m *testing.M, o lab.Options, l **lab.Lab) {
	if err := addMinter(&o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	Main(m, o, l)
}

// StartWithMinter is the world of a test that has a lab for itself, whose node has the
// minter's image. The lab ends with the test.
func StartWithMinter(t testing.TB, o lab.Options) *World {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	if err := addMinter(&o); err != nil {
		t.Fatal(err)
	}
	l, err := lab.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Stop(); err != nil {
			t.Error(err)
		}
	})
	return New(t, l)
}

// addMinter builds the minter's image, and adds it to a lab's.
func addMinter(o *lab.Options) error {
	program, err := minterProgram()
	if err != nil {
		return err
	}
	archive, err := image.Cached(MinterImage, image.Program(program))
	o.Images = append(o.Images, lab.Image{Reference: MinterImage, Archive: archive})
	return err
}

// HomeLayer is what examples/home-lab needs to be at home in a lab: Headscale's
// certificate, since it is signed by nobody, and forwarding, since a new network
// namespace forwards nothing. Its last patch is the gateway's, and may be gone on with.
const HomeLayer = `
patches:
- target: {kind: Tailnet}
  patch: |-
    - {op: add, path: /spec/caBundleConfigMapRef, value: {name: headscale-ca, key: ca.crt}}
- target: {kind: TailnetGateway}
  patch: |-
    - {op: add, path: /spec/pod, value: {sysctls: [{name: net.ipv4.ip_forward, value: "1"}]}}
`

// InstallShipped installs the minter as README says, Deployment and all, with what a
// user has to bring.
func (w *World) InstallShipped() {
	w.Helper()
	w.bring(api.DefaultOperatorNamespace)
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Source("minter/deploy"))
}

// bring puts into a namespace what a user has to bring: Headscale's certificate as the
// ConfigMap headscale-ca, and a key of its API.
func (w *World) bring(namespace string) {
	w.Helper()
	w.trustHeadscale(namespace)
	w.Bootstrap(apiserver.Admin, namespace, api.DefaultBootstrapName)
}

// Bootstrap stores a fresh key of Headscale's API as a Secret of an operator namespace.
func (w *World) Bootstrap(by apiserver.Identity, namespace, name string) {
	w.Helper()
	var key string
	w.Await("there is a key for "+name, func(ctx context.Context) (err error) { // its own time limit is short
		key, err = w.Lab.Tailnet.CreateAPIKey(ctx, "24h")
		return err
	})
	if _, err := w.Client(by).CoreV1().Secrets(namespace).Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{api.DefaultBootstrapKey: key},
	}, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
}
