//go:build lab

package access

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/headscale"
	"tsunaro.io/gateway/test/testbed/loopback"
	"tsunaro.io/gateway/test/testbed/tool"
)

// block is the first code block of docs/minter.md in a language that holds a text.
func (l lab) block(language, holds string) string {
	l.Helper()
	text, err := os.ReadFile(filepath.Join(l.root(), "docs", "minter.md"))
	if err != nil {
		l.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(m[1], holds) {
			return m[1]
		}
	}
	l.Fatalf("docs/minter.md has no block of %s with %q", language, holds)
	return ""
}

// shell runs commands of the page in the repository, as an administrator. Programs
// are further ones on PATH.
func (l lab) shell(commands string, programs map[string]string) string {
	l.Helper()
	kubectl, err := tool.Path("kubectl-" + version)
	if err != nil {
		l.Fatal(err)
	}
	kubeconfig, err := l.Kubeconfig(apiserver.Admin)
	if err != nil {
		l.Fatal(err)
	}
	dir := l.TempDir()
	if err := os.Symlink(kubectl, filepath.Join(dir, "kubectl")); err != nil {
		l.Fatal(err)
	}
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			l.Fatal(err)
		}
	}
	ctx, cancel := l.ctx()
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir = l.root()
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir, "KUBECONFIG="+kubeconfig, "KUBERC=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.Fatalf("%s: %v\n%s", commands, err, out)
	}
	return string(out)
}

// install installs CRDs, policies and minter, and waits until they are in force.
func (l lab) install() {
	l.Helper()
	l.shell(l.block("sh", "kubectl apply --server-side -k minter/deploy"), nil)
	l.kubectl("", "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
	tailnets := l.dynamic(apiserver.Minter(namespace)).Resource(custom("tailnets"))
	ctx, cancel := l.ctx()
	defer cancel()
	l.eventually("the policies are in force", func() bool {
		_, err := tailnets.Create(ctx, tailnet("probe"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "'tsunaro-custom-resources'")
	})
	l.eventually("the custom resources are in the discovery", func() bool {
		return slices.Contains(l.discovered(), resource{api.Group, "tailnetgateways/status"})
	})
	l.awaitRights(namespace)
}

// awaitRights waits until both bindings of a minter are in force.
func (l lab) awaitRights(operator string) {
	l.Helper()
	questions := []question{
		{operator, "", "configmaps", "", "get"}, {operator, api.Group, "tailnetgateways", "", "patch"},
	}
	l.eventually("the minter of "+operator+" has its rights", func() bool {
		return len(l.allowed(account(operator, api.MinterName), questions)) == len(questions)
	})
}

// second is the namespace of the page's second minter.
var second = regexp.MustCompile(`(?m)^namespace: (.*)$`)

// elsewhere installs the second minter.
func (l lab) elsewhere() {
	l.Helper()
	dir := l.TempDir()
	relative, err := filepath.Rel(dir, filepath.Join(l.root(), "minter", "deploy"))
	if err != nil {
		l.Fatal(err)
	}
	text := strings.Replace(l.block("yaml", "namespace:"), "minter/deploy", relative, 1)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		l.Fatal(err)
	}
	l.shell("kubectl apply --server-side -k "+dir, nil)
	l.awaitRights(l.secondNamespace())
}

// The bootstrap key, made and stored as the page says: Headscale takes exactly what
// the Secret holds, also after it was replaced.
//
// REQ: MT-06
func TestBootstrapKey(t *testing.T) {
	l := start(t)
	hs, err := headscale.Start(t.Context(), headscale.Options{Dir: t.TempDir(), Address: loopback.Own()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hs.Stop)
	program, args, _ := hs.Serve()
	wrapper := fmt.Sprintf("exec %q %q %q \"$@\"\n", program, args[1], args[2])
	var keys []string
	for range 2 {
		l.shell(l.block("sh", "headscale apikeys create"), map[string]string{"headscale": wrapper})
		var s *corev1.Secret
		if s, err = l.client(apiserver.Admin).CoreV1().Secrets(namespace).Get(t.Context(), "headscale-bootstrap", metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(s.Data["apikey"]))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hs.URL+"/api/v1/node", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+keys[len(keys)-1])
		response, err := hs.HTTP().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("HTTP %d, %v", response.StatusCode, err)
		}
		if notes := s.Annotations; len(notes) != 0 {
			t.Errorf("annotations %v, want none: kubectl would keep the key there", notes)
		}
	}
	if keys[0] == keys[1] {
		t.Error("the key was not replaced")
	}
}

// Removed as the page says, nothing of the minter is left but what gateways need;
// it can be installed again, and over itself.
func TestRemove(t *testing.T) {
	l := start(t)
	t.Cleanup(l.install)
	l.install()
	l.shell(l.block("sh", "kubectl delete deployment"), nil)
	admin := l.client(apiserver.Admin)
	_, deployment := admin.AppsV1().Deployments(namespace).Get(t.Context(), api.MinterName, metav1.GetOptions{})
	_, budget := admin.PolicyV1().PodDisruptionBudgets(namespace).Get(t.Context(), api.MinterName, metav1.GetOptions{})
	_, sa := admin.CoreV1().ServiceAccounts(namespace).Get(t.Context(), api.MinterName, metav1.GetOptions{})
	_, role := admin.RbacV1().Roles(namespace).Get(t.Context(), api.MinterName, metav1.GetOptions{})
	_, binding := admin.RbacV1().RoleBindings(namespace).Get(t.Context(), api.MinterName, metav1.GetOptions{})
	_, cluster := admin.RbacV1().ClusterRoles().Get(t.Context(), api.MinterName, metav1.GetOptions{})
	_, everywhere := admin.RbacV1().ClusterRoleBindings().Get(t.Context(), api.MinterName, metav1.GetOptions{})
	for what, err := range map[string]error{
		"Deployment": deployment, "PodDisruptionBudget": budget, "ServiceAccount": sa,
		"Role": role, "RoleBinding": binding, "ClusterRole": cluster, "ClusterRoleBinding": everywhere,
	} {
		if !apierrors.IsNotFound(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := admin.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := admin.RbacV1().ClusterRoles().Get(t.Context(), api.MinterName+"-"+l.secondNamespace(), metav1.GetOptions{}); err != nil {
		t.Errorf("the other minter has lost its rights: %v", err)
	}
}

func (l lab) secondNamespace() string {
	l.Helper()
	return second.FindStringSubmatch(l.block("yaml", "namespace:"))[1]
}
