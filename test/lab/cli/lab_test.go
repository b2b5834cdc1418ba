//go:build lab && linux

package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tool"
)

const namespace = api.DefaultOperatorNamespace

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) { labtest.MainWithMinter(m, lab.Options{}, &theLab) }

// install installs the product as README says, with what a user has to bring.
func install(w *labtest.World) {
	w.Helper()
	w.Install()
	w.InstallShipped()
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
	v := viewer{kubeconfig: filepath.Join(w.Lab.Spec.Dir, "viewer.kubeconfig")}
	w.WriteKubeconfig(v.kubeconfig, apiserver.Identity{User: "viewer"})
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
