package labtest

import (
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/source"
)

// Source is the path of a file of the source tree.
func (w *World) Source(path string) string {
	w.Helper()
	return source.Path(w, path)
}

// Example builds a directory of examples as a user would in a cluster of his own:
// more is added to its kustomization file, and nothing else is changed.
func (w *World) Example(name, more string) string {
	w.Helper()
	dir := filepath.Join(w.TempDir(), filepath.Base(name))
	if err := os.CopyFS(dir, os.DirFS(w.Source(filepath.Join("examples", name)))); err != nil {
		w.Fatal(err)
	}
	file := filepath.Join(dir, "kustomization.yaml")
	own, err := os.ReadFile(file)
	if err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(file, append(own, more...), 0o600); err != nil {
		w.Fatal(err)
	}
	return kustomize.Build(w, dir).Must(w).Stdout
}

// Install installs, as README says, the CRDs, the operator namespace and the
// admission policies. Those are in force some time later: who needs one waits
// for what it does.
func (w *World) Install() {
	w.Helper()
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Source("renderer/crd"))
	w.Must(apiserver.Admin, "", "wait", "--for=condition=Established", "crd", "--all", "--timeout="+Deadline.String())
	w.Must(apiserver.Admin, "", "create", "namespace", api.DefaultOperatorNamespace)
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Source("policies/admission"))
}

// TrustHeadscale makes the ConfigMap headscale-ca, with Headscale's certificate as
// ca.crt: what caBundleConfigMapRef of a Tailnet refers to.
func (w *World) TrustHeadscale() {
	w.Helper()
	w.trustHeadscale(api.DefaultOperatorNamespace)
}

func (w *World) trustHeadscale(namespace string) {
	w.Helper()
	_, err := w.Client(apiserver.Admin).CoreV1().ConfigMaps(namespace).Create(w.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "headscale-ca"}, Data: map[string]string{"ca.crt": string(w.Lab.Tailnet.CA())},
	}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
}

// Refusals are the lines of kubectl's output that say that an object was refused.
func Refusals(r apiserver.Result) (lines []string) {
	for line := range strings.Lines(r.Stderr) {
		if strings.HasPrefix(line, "Error from server") || strings.HasPrefix(line, "The ") && strings.Contains(line, " is invalid") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// Layer is a directory with a kustomization over one of the project's directories;
// more is what it holds beside its resources.
func (w *World) Layer(base, more string) (dir string) {
	w.Helper()
	dir = w.TempDir()
	relative, err := filepath.Rel(dir, w.Source(base))
	if err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte("resources: ["+relative+"]\n"+more), 0o600); err != nil {
		w.Fatal(err)
	}
	return dir
}
