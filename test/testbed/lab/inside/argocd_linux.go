package inside

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

const (
	argoNamespace = "argocd"
	argoDir       = sandbox.Work + "/argocd"
)

// Addresses of Argo CD's programs on the node; that of its server is lab.ArgoCDAddress.
const (
	redisAddress      = "127.0.0.1:28200"
	repoAddress       = "127.0.0.1:28201"
	repoMetrics       = "127.0.0.1:28202"
	controllerMetrics = "127.0.0.1:28203"
	serverMetrics     = "127.0.0.1:28204"
)

// argoNames are what Argo CD's one program is called by: it is another one under
// each. The last two are run by the first.
var argoNames = []string{"argocd-repo-server", "argocd-application-controller", "argocd-server", "argocd-cmp-server", "argocd-git-ask-pass", "argocd-k8s-auth"}

// argoScripts are what its repo-server checks signatures with, from its sources.
var argoScripts = []string{"git-verify-wrapper.sh", "gpg-wrapper.sh"}

// argoCD plans Redis, the repo-server, the application controller and the server
// with its API, which asks nobody for a password. Its own pages need what only
// Argo CD's releases hold.
func (l *Lab) argoCD() error {
	if err := l.argoPrograms(); err != nil {
		return err
	}
	source := filepath.Join(l.spec.Sources["argocd"], "manifests")
	if err := l.install("argocd", argoNamespace, []string{
		source + "/crds/application-crd.yaml", source + "/crds/applicationset-crd.yaml", source + "/crds/appproject-crd.yaml",
	}, source+"/base/config"); err != nil {
		return err
	}
	l.serve("redis", redisAddress, func() *exec.Cmd {
		return l.command(lab.OnNode, filepath.Join(binDir, "redis-server"), "--bind", "127.0.0.1", "--port", port(redisAddress), "--save", "", "--appendonly", "no")
	}, listens(redisAddress), "network")

	if err := l.argoProgram("repo-server", apiserver.ServiceAccount(argoNamespace, "argocd-repo-server"), repoMetrics+"/healthz",
		"--address=127.0.0.1", "--port="+port(repoAddress), "--metrics-address=127.0.0.1", "--metrics-port="+port(repoMetrics), "--disable-tls", "--client-ca-path="); err != nil {
		return err
	}
	repo := []string{"--repo-server=" + repoAddress, "--repo-server-plaintext"}
	if err := l.argoProgram("application-controller", apiserver.ArgoEngine, controllerMetrics+"/healthz", append(repo,
		"--namespace="+argoNamespace, "--metrics-port="+port(controllerMetrics), "--persist-resource-health", "--status-processors=2", "--operation-processors=2")...); err != nil {
		return err
	}
	return l.argoProgram("server", apiserver.ServiceAccount(argoNamespace, "argocd-server"), lab.ArgoCDAddress+"/healthz", append(repo,
		"--namespace="+argoNamespace, "--address=127.0.0.1", "--port="+port(lab.ArgoCDAddress), "--metrics-address=127.0.0.1", "--metrics-port="+port(serverMetrics),
		"--insecure", "--disable-auth", "--staticassets="+argoDir)...)
}

func port(address string) string { return address[len("127.0.0.1:"):] }

// argoPrograms puts all of them on the PATH, and Redis.
func (l *Lab) argoPrograms() error {
	redis, err := exec.LookPath(lab.RedisProgram)
	if err != nil {
		return err
	}
	links := map[string]string{"redis-server": redis}
	for _, name := range argoNames {
		links[name] = l.program("argocd")
	}
	for _, name := range argoScripts {
		script, err := os.ReadFile(filepath.Join(l.spec.Sources["argocd"], "hack", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(binDir, name), script, 0o755); err != nil {
			return err
		}
	}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(binDir, name)); err != nil {
			return err
		}
	}
	for _, dir := range []string{argoDir + "/tls", argoDir + "/ssh", argoDir + "/gpg/keys", argoDir + "/gpg/source", lab.ArgoCDPlugins} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lab) argoProgram(name string, id apiserver.Identity, health string, flags ...string) error {
	config, err := l.access.Kubeconfig(id)
	if err != nil {
		return err
	}
	l.serve("argocd-"+name, "", func() *exec.Cmd {
		cmd := trust(l.command(lab.OnNode, filepath.Join(binDir, "argocd-"+name), append([]string{"--redis=" + redisAddress}, flags...)...))
		cmd.Env = append(cmd.Env, "KUBECONFIG="+config, "ARGOCD_FAKE_IN_CLUSTER=true", "ARGOCD_GPG_ENABLED=false",
			"ARGOCD_TLS_DATA_PATH="+argoDir+"/tls", "ARGOCD_SSH_DATA_PATH="+argoDir+"/ssh",
			"ARGOCD_GNUPGHOME="+argoDir+"/gpg/keys", "ARGOCD_GPG_DATA_PATH="+argoDir+"/gpg/source", "ARGOCD_PLUGINSOCKFILEPATH="+lab.ArgoCDPlugins)
		return cmd
	}, answers(http.DefaultClient, "http://"+health), "argocd", "redis", "git")
	return nil
}
