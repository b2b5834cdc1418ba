package labtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/tool"
)

// Minter is the real minter of an operator namespace as a component of the lab. It
// has the rights of its account and no others.
type Minter struct {
	Namespace string
	component string
	port      int // of its metrics, on the node
}

// InstallMinter installs minter/deploy for an operator namespace, without its
// Deployment, and what a user has to bring there: Headscale's certificate as the
// ConfigMap headscale-ca, and a key of its API.
func (w *World) InstallMinter(namespace string) {
	w.Helper()
	w.Must(apiserver.Admin, w.Must(apiserver.Admin, "", "kustomize", w.minterLayer(namespace)), "apply", "--server-side", "-f", "-")
	core := w.Client(apiserver.Admin).CoreV1()
	if _, err := core.ConfigMaps(namespace).Create(w.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "headscale-ca"}, Data: map[string]string{"ca.crt": string(w.Lab.Tailnet.CA())},
	}, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	var key string
	w.Await("there is a bootstrap key", func(ctx context.Context) (err error) { // its own time limit is short
		key, err = w.Lab.Tailnet.CreateAPIKey(ctx, "24h")
		return err
	})
	if _, err := core.Secrets(namespace).Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "headscale-bootstrap"}, StringData: map[string]string{"apikey": key},
	}, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
}

// minterLayer is a directory with a kustomization of the minter for a namespace.
func (w *World) minterLayer(namespace string) (dir string) {
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

// RunMinter starts the minter of an operator namespace, whose metrics are then on a
// port of the node. It is its namespace's only one, and needs no lease.
func (w *World) RunMinter(namespace string, port int, flags ...string) *Minter {
	w.Helper()
	program, err := tool.Path(tool.MinterName)
	if err != nil {
		w.Fatal(err)
	}
	m := &Minter{Namespace: namespace, component: "minter-" + namespace, port: port}
	kubeconfig := filepath.Join(w.Lab.Spec.Dir, m.component+".kubeconfig")
	w.writeKubeconfig(kubeconfig, namespace)
	if err := w.Lab.Add(w.Context(), m.component, lab.Command{
		Args: append([]string{
			program, "--namespace=" + namespace, fmt.Sprintf("--metrics-addr=127.0.0.1:%d", port), "--health-addr=0",
		}, flags...),
		Env: []string{"KUBECONFIG=" + kubeconfig},
	}); err != nil {
		w.Fatal(err)
	}
	return m
}

// writeKubeconfig writes the access of a minter's account, as it is on the node.
func (w *World) writeKubeconfig(path, namespace string) {
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

// Start starts a minter that was stopped or killed.
func (m *Minter) Start(w *World) {
	w.Helper()
	if err := w.Lab.StartComponent(w.Context(), m.component); err != nil {
		w.Fatal(err)
	}
}

// Stop asks it to end, and waits for that.
func (m *Minter) Stop(w *World) {
	w.Helper()
	if err := w.Lab.StopComponent(w.Context(), m.component); err != nil {
		w.Fatal(err)
	}
}

// Kill ends it at once.
func (m *Minter) Kill(w *World) {
	w.Helper()
	if err := w.Lab.KillComponent(w.Context(), m.component); err != nil {
		w.Fatal(err)
	}
}

// Metrics are its samples: values by the text of their series, whose labels are
// sorted, such as up{a="1",b="2"}.
func (m *Minter) Metrics(ctx context.Context, w *World) (map[string]float64, error) {
	body, err := w.Get(ctx, lab.OnNode, fmt.Sprintf("http://127.0.0.1:%d/metrics", m.port))
	if err != nil {
		return nil, err
	}
	samples := map[string]float64{}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		i := strings.LastIndexByte(line, ' ')
		if i < 0 || line[0] == '#' {
			continue
		}
		if samples[line[:i]], err = strconv.ParseFloat(line[i+1:], 64); err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// Said is the end of its log.
func (m *Minter) Said(l *lab.Lab) string {
	const last = 20000
	list, err := l.Components(context.Background())
	if err != nil {
		return err.Error()
	}
	for _, c := range list {
		if c.Name == m.component {
			text, err := os.ReadFile(c.Log)
			if err != nil {
				return err.Error()
			}
			text = text[max(0, len(text)-last):]
			return fmt.Sprintf("%s is %s:\n%s", c.Name, c.State, bytes.TrimSpace(text))
		}
	}
	return m.component + " was never started"
}
