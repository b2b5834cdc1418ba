//go:build lab && linux

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/image"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tool"
)

const (
	namespace   = api.DefaultOperatorNamespace
	minterImage = "ghcr.io/tsunaro/tsunaro-minter:v0.1.0" // that minter/deploy names
)

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

// overlay is what the home lab needs to be at home in this one.
const overlay = `
patches:
- target: {kind: Tailnet}
  patch: |-
    - {op: add, path: /spec/caBundleConfigMapRef, value: {name: headscale-ca, key: ca.crt}}
- target: {kind: TailnetGateway}
  patch: |-
    - {op: add, path: /spec/pod, value: {sysctls: [{name: net.ipv4.ip_forward, value: "1"}]}}
`

// install installs the product as README says, with what a user has to bring.
func install(w *labtest.World) {
	w.Helper()
	w.Install()
	w.TrustHeadscale()
	var key string
	w.Await("there is a bootstrap key", func(ctx context.Context) (err error) {
		key, err = w.Lab.Tailnet.CreateAPIKey(ctx, "24h")
		return err
	})
	if _, err := w.Client(apiserver.Admin).CoreV1().Secrets(namespace).Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "headscale-bootstrap"}, StringData: map[string]string{"apikey": key},
	}, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Source("minter/deploy"))
}

// viewer is somebody with the rights of docs/cli.md and no others, on the node.
type viewer struct {
	program, kubeconfig string
}

// newViewer grants the rights, and makes a kubeconfig.
func newViewer(w *labtest.World) viewer {
	w.Helper()
	page, err := os.ReadFile(w.Source("docs/cli.md"))
	if err != nil {
		w.Fatal(err)
	}
	rights := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindSubmatch(page)
	if rights == nil {
		w.Fatal("docs/cli.md grants no rights")
	}
	const bindings = `
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: tsunaro-viewer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: tsunaro-viewer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: viewer}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: tsunaro-viewer, namespace: tsunaro-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: tsunaro-viewer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: viewer}]
`
	w.Must(apiserver.Admin, string(rights[1])+bindings, "apply", "--server-side", "-f", "-")
	from, err := w.Lab.Access.Config(apiserver.Identity{User: "viewer"})
	if err != nil {
		w.Fatal(err)
	}
	to := clientcmdapi.NewConfig()
	to.Clusters["lab"] = &clientcmdapi.Cluster{Server: "https://" + lab.NodeAddress + ":6443", CertificateAuthorityData: from.CAData}
	to.AuthInfos["viewer"] = &clientcmdapi.AuthInfo{ClientCertificateData: from.CertData, ClientKeyData: from.KeyData}
	to.Contexts["lab"] = &clientcmdapi.Context{Cluster: "lab", AuthInfo: "viewer"}
	to.CurrentContext = "lab"
	v := viewer{kubeconfig: filepath.Join(w.Lab.Spec.Dir, "viewer.kubeconfig")}
	if err := clientcmd.WriteToFile(*to, v.kubeconfig); err != nil {
		w.Fatal(err)
	}
	if v.program, err = tool.Path(tool.KubectlName); err != nil {
		w.Fatal(err)
	}
	return v
}

// run runs the command line on the node.
func (v viewer) run(ctx context.Context, w *labtest.World, stdin, line string) (lab.Result, error) {
	return w.Lab.Run(ctx, lab.Command{
		Args: append([]string{v.program}, strings.Fields(line)...), Env: []string{"KUBECONFIG=" + v.kubeconfig}, Stdin: stdin,
	})
}
