package labtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
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
	w.Must(apiserver.Admin, w.Must(apiserver.Admin, "", "kustomize", w.Layer("minter/deploy", minterLayer(namespace))), "apply", "--server-side", "-f", "-")
	w.bring(namespace)
}

// minterLayer is what makes minter/deploy the deployment of a namespace, but for the
// program.
func minterLayer(namespace string) string {
	return `
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
}

// RunMinter starts the minter of an operator namespace, whose metrics are then on a
// port of the node. It is its namespace's only one, and needs no lease.
func (w *World) RunMinter(namespace string, port int, flags ...string) *Minter {
	w.Helper()
	program, err := minterProgram()
	if err != nil {
		w.Fatal(err)
	}
	m := &Minter{Namespace: namespace, component: "minter-" + namespace, port: port}
	kubeconfig := filepath.Join(w.Lab.Spec.Dir, m.component+".kubeconfig")
	w.WriteKubeconfig(kubeconfig, MinterAccount(namespace))
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

// WriteKubeconfig writes the access of an identity, as it is on the node.
func (w *World) WriteKubeconfig(path string, id apiserver.Identity) {
	w.Helper()
	from, err := w.Lab.Access.Config(id)
	if err != nil {
		w.Fatal(err)
	}
	to := clientcmdapi.NewConfig()
	to.Clusters["lab"] = &clientcmdapi.Cluster{Server: "https://" + lab.NodeAddress + ":6443", CertificateAuthorityData: from.CAData}
	to.AuthInfos["user"] = &clientcmdapi.AuthInfo{ClientCertificateData: from.CertData, ClientKeyData: from.KeyData}
	to.Contexts["lab"] = &clientcmdapi.Context{Cluster: "lab", AuthInfo: "user"}
	to.CurrentContext = "lab"
	if err := clientcmd.WriteToFile(*to, path); err != nil {
		w.Fatal(err)
	}
}

// MinterAccount is the identity of a minter, with its own rights and no administrator's.
func MinterAccount(namespace string) apiserver.Identity {
	id := apiserver.Minter(namespace)
	id.Groups = id.Groups[:2:2]
	return id
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
