//go:build lab

package argocd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/testbed/tool"
)

// health is the directory of that name.
var health = filepath.Join("..", "..", "..", "health")

// argoCD is `argocd admin settings resource-overrides` with settings from a file of
// health/argocd, and no cluster. It ends well whatever it finds: its text counts.
type argoCD struct{ program, settings string }

// with returns it for a file of settings.
func with(t *testing.T, settings string) argoCD {
	t.Helper()
	program, err := tool.Path("argocd")
	if err != nil {
		t.Fatal(err)
	}
	return argoCD{program, filepath.Join(health, "argocd", settings)}
}

// run returns what it prints about the object in a file.
func (a argoCD) run(t *testing.T, command, object string, args ...string) string {
	t.Helper()
	all := append([]string{"admin", "settings", "resource-overrides", command, object}, args...)
	cmd := exec.CommandContext(t.Context(), a.program, append(all, "--argocd-cm-path="+a.settings)...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "KUBECONFIG="+filepath.Join(home, "none"), "KUBECTL_EXTERNAL_DIFF=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("argocd %s: %v\n%s%s", strings.Join(all, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}
