package inside

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

const fluxNamespace = "flux-system"

// Ports of Flux's controllers, on the node's local address.
const (
	artifactAddress = "127.0.0.1:28100"
	sourceHealth    = "127.0.0.1:28101"
	kustomizeHealth = "127.0.0.1:28102"
)

// flux plans source-controller and kustomize-controller, as an installation of
// Flux has them, but for two settings that save a test its time: what waits for a
// dependency looks every two seconds, and intervals have no jitter.
func (l *Lab) flux() error {
	const crds = "config/crd/bases"
	if err := l.install("flux", fluxNamespace, []string{
		filepath.Join(l.spec.Sources["source-controller"], crds), filepath.Join(l.spec.Sources["kustomize-controller"], crds),
	}); err != nil {
		return err
	}
	artifacts := filepath.Join(sandbox.Work, "artifacts")
	if err := os.MkdirAll(artifacts, 0o755); err != nil {
		return err
	}
	if err := l.fluxController("source-controller", apiserver.ServiceAccount(fluxNamespace, "source-controller"), sourceHealth,
		"--storage-path="+artifacts, "--storage-addr="+artifactAddress, "--storage-adv-addr="+artifactAddress); err != nil {
		return err
	}
	return l.fluxController("kustomize-controller", apiserver.FluxEngine, kustomizeHealth, "--requeue-dependency=2s")
}

func (l *Lab) fluxController(name string, id apiserver.Identity, health string, flags ...string) error {
	config, err := l.access.Kubeconfig(id)
	if err != nil {
		return err
	}
	l.serve(name, "", func() *exec.Cmd {
		cmd := trust(l.command(lab.OnNode, l.program(name), append([]string{
			"--watch-all-namespaces", "--log-encoding=json", "--interval-jitter-percentage=0", "--metrics-addr=0", "--health-addr=" + health,
		}, flags...)...))
		cmd.Env = append(cmd.Env, "KUBECONFIG="+config, "RUNTIME_NAMESPACE="+fluxNamespace)
		return cmd
	}, answers(http.DefaultClient, "http://"+health+"/readyz"), "flux", "git")
	return nil
}

// install plans what an installation of an engine has beside its programs: CRDs, from
// files or directories, a namespace, and in it what kustomizations have.
func (l *Lab) install(name, namespace string, crds []string, kustomizations ...string) error {
	config, err := l.access.Kubeconfig(apiserver.Admin)
	if err != nil {
		return err
	}
	kubectl := func(ctx context.Context, args ...string) error {
		return l.run(ctx, lab.OnNode, l.program("kubectl"), append([]string{"--kubeconfig=" + config}, args...)...)
	}
	var files []string
	for _, crd := range crds {
		files = append(files, "--filename="+crd)
	}
	l.step(name, func(ctx context.Context) error {
		if err := kubectl(ctx, append(files, "apply", "--server-side")...); err != nil {
			return err
		}
		// A CRD without any condition yet is an error of kubectl wait.
		if err := l.find("kube-apiserver").await(ctx, func(ctx context.Context) error {
			return kubectl(ctx, append(files, "wait", "--for=condition=Established", "--timeout=1m")...)
		}); err != nil {
			return err
		}
		if err := kubectl(ctx, "create", "namespace", namespace); err != nil {
			return err
		}
		for _, k := range kustomizations {
			if err := kubectl(ctx, "apply", "--server-side", "--namespace="+namespace, "--kustomize="+k); err != nil {
				return err
			}
		}
		return nil
	}, "kube-apiserver")
	return nil
}
