//go:build lab && linux

package minter

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
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tool"
)

const namespace = api.DefaultOperatorNamespace

// minterImage is the one that minter/deploy names.
const minterImage = "ghcr.io/tsunaro/tsunaro-minter:v0.1.0"

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) {
	archive, err := minterArchive()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	labtest.Main(m, lab.Options{Images: []lab.Image{{Reference: minterImage, Archive: archive}}}, &theLab)
}

func minterArchive() (string, error) {
	program, err := tool.Path(tool.MinterName)
	if err != nil {
		return "", err
	}
	return image.Cached(minterImage, image.Program(program))
}

// overlay is what the home lab needs to be at home in this one: Headscale's
// certificate, since it is signed by nobody, and forwarding, since a new network
// namespace forwards nothing.
const overlay = `
patches:
- target: {kind: Tailnet}
  patch: |-
    - {op: add, path: /spec/caBundleConfigMapRef, value: {name: headscale-ca, key: ca.crt}}
- target: {kind: TailnetGateway}
  patch: |-
    - {op: add, path: /spec/pod, value: {sysctls: [{name: net.ipv4.ip_forward, value: "1"}]}}
`

// logs are printed where a test failed.
func logs(w *labtest.World) {
	w.Cleanup(func() {
		if !w.Failed() {
			return
		}
		r, err := w.Lab.Access.Kubectl(context.Background(), apiserver.Admin, "", "logs", "--namespace="+namespace, "--selector=app.kubernetes.io/name=tsunaro-minter", "--tail=60", "--prefix")
		w.Logf("the minter says (%v):\n%s%s", err, r.Stdout, r.Stderr)
	})
}

// install installs the product as README says, with what a user has to bring:
// Headscale's certificate and a key of its API.
func install(w *labtest.World) {
	w.Helper()
	logs(w)
	w.Install()
	core := w.Client(apiserver.Admin).CoreV1()
	if _, err := core.ConfigMaps(namespace).Create(w.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "headscale-ca"}, Data: map[string]string{"ca.crt": string(w.Lab.Tailnet.CA())},
	}, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	key, err := w.Lab.Tailnet.CreateAPIKey(w.Context(), "24h")
	if err != nil {
		w.Fatal(err)
	}
	if _, err := core.Secrets(namespace).Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "headscale-bootstrap"}, StringData: map[string]string{"apikey": key},
	}, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Source("minter/deploy"))
}
