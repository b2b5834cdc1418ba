//go:build lab && linux

package blocked

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tool"
)

// The operator namespaces, each with a minter of its own.
const (
	guarded = api.DefaultOperatorNamespace // where the admission policies apply
	free    = "tsunaro-free"               // where none does
)

// Ports of the minters' metrics.
const (
	guardedMetrics = 8091
	freeMetrics    = 8092
)

// lanes is how many gateways are looked at side by side: each of them mostly waits.
const lanes = "16"

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", lanes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	labtest.Main(m, lab.Options{Parts: []lab.Part{lab.Node, lab.Headscale}}, &theLab)
}

// shared is what all tests use.
var shared struct {
	once      sync.Once
	ready     bool
	headscale *labtest.REST
	view      *view
}

// world is the lab with the product installed.
func world(t *testing.T) *labtest.World {
	t.Helper()
	w := labtest.New(t, theLab)
	t.Cleanup(func() {
		if t.Failed() {
			logs(t)
		}
	})
	shared.once.Do(func() { install(w) })
	if !shared.ready {
		t.Fatal("the lab could not be prepared")
	}
	return w
}

// install installs the product as README says, for two operator namespaces, and
// starts the minters.
func install(w *labtest.World) {
	w.Helper()
	w.Install()
	w.Must(apiserver.Admin, "", "create", "namespace", free)
	shared.headscale = w.Headscale()
	if _, err := w.Lab.Tailnet.CreateUser(w.Context(), person); err != nil {
		w.Fatal(err)
	}
	shared.view = watch(w)
	for _, namespace := range []string{guarded, free} {
		w.Must(apiserver.Admin, w.Must(apiserver.Admin, "", "kustomize", layer(w, namespace)), "apply", "--server-side", "-f", "-")
		bring(w, namespace)
	}
	apply(w, tailnet("home", guarded, nil), hosts("home", guarded), tailnet("free", free, nil), hosts("free", free))
	awaitPolicies(w)
	run(w, guarded, guardedMetrics)
	run(w, free, freeMetrics)
	shared.ready = true
}

// person is the user at Headscale whose nodes are not the gateways'.
const person = "jane"

// layer is minter/deploy for a namespace, without the Deployment: the tests start
// the program themselves.
func layer(w *labtest.World, namespace string) (dir string) {
	w.Helper()
	dir = w.TempDir()
	base, err := filepath.Rel(dir, w.Source("minter/deploy"))
	if err != nil {
		w.Fatal(err)
	}
	text := `
resources: [` + base + `]
namespace: ` + namespace + `
patches:
- target: {kind: ClusterRole.*}
  patch: |-
    - {op: replace, path: /metadata/name, value: tsunaro-minter-` + namespace + `}
- patch: |-
    {apiVersion: apps/v1, kind: Deployment, metadata: {name: tsunaro-minter, namespace: tsunaro-system}, $patch: delete}
- patch: |-
    {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: tsunaro-minter, namespace: tsunaro-system}, $patch: delete}
`
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	return dir
}

// bring puts into a namespace what a user has to bring: Headscale's certificate and
// a key of its API.
func bring(w *labtest.World, namespace string) {
	w.Helper()
	core := w.Client(apiserver.Admin).CoreV1()
	if _, err := core.ConfigMaps(namespace).Create(w.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "headscale-ca"}, Data: map[string]string{"ca.crt": string(w.Lab.Tailnet.CA())},
	}, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	bootstrap(w, namespace, "headscale-bootstrap")
}

// bootstrap makes a Secret with a fresh bootstrap key.
func bootstrap(w *labtest.World, namespace, name string) {
	w.Helper()
	var key string
	w.Await("there is a key for "+name, func(ctx context.Context) (err error) { // its own time limit is short
		key, err = w.Lab.Tailnet.CreateAPIKey(ctx, "24h")
		return err
	})
	if _, err := w.Client(apiserver.Person).CoreV1().Secrets(namespace).Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"apikey": key},
	}, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
}

// awaitPolicies waits until the API server goes by the policies.
func awaitPolicies(w *labtest.World) {
	w.Helper()
	w.Await("the policies are in force", func(ctx context.Context) error {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: api.BindingsName}}
		_, err := w.Client(apiserver.Person).CoreV1().ConfigMaps(guarded).Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil || !strings.Contains(err.Error(), "'tsunaro-records'") {
			return fmt.Errorf("a person may write the registry: %v", err)
		}
		return nil
	})
}

// run runs a minter in the lab, with the rights of its account and no others. It is
// told to ask the API server as often as it likes: dozens of gateways begin at once.
func run(w *labtest.World, namespace string, metrics int) {
	w.Helper()
	program, err := tool.Path(tool.MinterName)
	if err != nil {
		w.Fatal(err)
	}
	name := "minter-" + namespace
	kubeconfig := filepath.Join(w.Lab.Spec.Dir, name+".kubeconfig")
	writeKubeconfig(w, kubeconfig, namespace)
	if err := w.Lab.Add(w.Context(), name, lab.Command{
		Args: []string{
			program, "--namespace=" + namespace, "--enable-leader-election", "--kube-api-qps=1000", "--kube-api-burst=1000",
			fmt.Sprintf("--metrics-addr=127.0.0.1:%d", metrics), "--health-addr=0",
		},
		Env: []string{"KUBECONFIG=" + kubeconfig},
	}); err != nil {
		w.Fatal(err)
	}
}

func writeKubeconfig(w *labtest.World, path, namespace string) {
	w.Helper()
	id := apiserver.Minter(namespace)
	id.Groups = id.Groups[:2:2] // without the administrators
	from, err := w.Lab.Access.Config(id)
	if err != nil {
		w.Fatal(err)
	}
	to := clientcmdapi.NewConfig()
	to.Clusters["lab"] = &clientcmdapi.Cluster{Server: "https://" + lab.NodeAddress + ":6443", CertificateAuthorityData: from.CAData}
	to.AuthInfos["minter"] = &clientcmdapi.AuthInfo{ClientCertificateData: from.CertData, ClientKeyData: from.KeyData}
	to.Contexts["lab"] = &clientcmdapi.Context{Cluster: "lab", AuthInfo: "minter"}
	to.CurrentContext = "lab"
	if err := clientcmd.WriteToFile(*to, path); err != nil {
		w.Fatal(err)
	}
}

// logs shows what the minters have said last.
func logs(t *testing.T) {
	list, err := theLab.Components(context.Background())
	if err != nil {
		t.Log(err)
		return
	}
	const last = 20000
	for _, c := range list {
		if strings.HasPrefix(c.Name, "minter-") {
			text, err := os.ReadFile(c.Log)
			t.Logf("%s is %s (%v):\n%s", c.Name, c.State, err, text[max(0, len(text)-last):])
		}
	}
}
