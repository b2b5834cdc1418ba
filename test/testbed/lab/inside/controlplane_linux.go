package inside

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"k8s.io/client-go/rest"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

// Identities of the components, as a cluster has them.
var (
	asKubelet    = apiserver.Identity{User: "system:node:" + lab.NodeName, Groups: []string{"system:nodes"}}
	asManager    = apiserver.Identity{User: "system:kube-controller-manager"}
	asScheduler  = apiserver.Identity{User: "system:kube-scheduler"}
	asProxy      = apiserver.Identity{User: "system:kube-proxy"}
	asAPIServer  = apiserver.Identity{User: "apiserver-kubelet-client", Groups: []string{"system:masters"}}
	apiAddress   = net.JoinHostPort(lab.NodeAddress, "6443")
	etcdURL      = "http://127.0.0.1:2379"
	etcdPeerURL  = "http://127.0.0.1:2380"
	accessDir    = filepath.Join(sandbox.Work, "access")
	serverFile   = filepath.Join(accessDir, "server")
	tokenKeyFile = filepath.Join(accessDir, "tokens.key")
)

// controlPlane plans etcd, the API server, the controller manager and the
// scheduler. Nothing of it outlives the lab, so etcd need not reach the disk.
func (l *Lab) controlPlane() error {
	if err := l.openAccess(); err != nil {
		return err
	}
	l.serve("etcd", etcdURL, func() *exec.Cmd {
		return l.command(lab.OnNode, l.program("etcd"),
			"--data-dir="+filepath.Join(sandbox.Work, "etcd"), "--unsafe-no-fsync", "--log-level=warn",
			"--listen-client-urls="+etcdURL, "--advertise-client-urls="+etcdURL,
			"--listen-peer-urls="+etcdPeerURL, "--initial-advertise-peer-urls="+etcdPeerURL, "--initial-cluster=default="+etcdPeerURL)
	}, answers(http.DefaultClient, etcdURL+"/health"), "network")

	admin, err := l.access.Config(apiserver.Admin)
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(admin)
	if err != nil {
		return err
	}
	kubelet, err := l.keyPair(asAPIServer)
	if err != nil {
		return err
	}
	l.serve("kube-apiserver", l.access.URL, func() *exec.Cmd {
		return l.command(lab.OnNode, l.program("kube-apiserver"), append(apiserverFlags(), kubelet...)...)
	}, answers(client, l.access.URL+"/readyz"), "etcd")

	if err := l.controller("kube-controller-manager", asManager, answers(client, l.access.URL+"/api/v1/namespaces/default/serviceaccounts/default"),
		"--use-service-account-credentials=true", "--service-account-private-key-file="+tokenKeyFile, "--root-ca-file="+filepath.Join(accessDir, "ca.crt")); err != nil {
		return err
	}
	return l.controller("kube-scheduler", asScheduler, unchecked)
}

// openAccess makes what the control plane's clients and servers identify
// themselves with. The authority comes from the lab's directory: it is shared
// with whoever uses the lab from outside.
func (l *Lab) openAccess() error {
	for _, name := range []string{"ca.crt", "ca.key"} {
		content, err := os.ReadFile(filepath.Join(l.spec.Dir, name))
		if err != nil {
			return err
		}
		if _, err := l.write("access/"+name, content); err != nil {
			return err
		}
	}
	access, err := apiserver.OpenAccess(accessDir, apiAddress, "")
	if err != nil {
		return err
	}
	l.access = access
	outside, _, err := net.SplitHostPort(l.spec.APIOutside)
	if err != nil {
		return err
	}
	addresses := []net.IP{net.ParseIP(lab.NodeAddress), net.ParseIP(lab.APIService), net.ParseIP(outside)}
	cert, key, err := access.Serve(addresses, "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
	if err != nil {
		return err
	}
	tokens, err := apiserver.SigningKey()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"access/server.crt": cert, "access/server.key": key, "access/tokens.key": tokens} {
		if _, err := l.write(name, content); err != nil {
			return err
		}
	}
	return nil
}

func apiserverFlags() []string {
	return []string{
		"--etcd-servers=" + etcdURL, "--bind-address=" + lab.NodeAddress, "--secure-port=6443", "--advertise-address=" + lab.NodeAddress,
		"--client-ca-file=" + filepath.Join(accessDir, "ca.crt"), "--tls-cert-file=" + serverFile + ".crt", "--tls-private-key-file=" + serverFile + ".key",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + tokenKeyFile, "--service-account-signing-key-file=" + tokenKeyFile,
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--service-cluster-ip-range=" + lab.ServiceCIDR,
		"--kubelet-preferred-address-types=InternalIP", "--profiling=false",
	}
}

// keyPair writes the certificate that the API server shows the kubelet.
func (l *Lab) keyPair(id apiserver.Identity) ([]string, error) {
	config, err := l.access.Config(id)
	if err != nil {
		return nil, err
	}
	cert, err := l.write("access/kubelet-client.crt", config.CertData)
	if err != nil {
		return nil, err
	}
	key, err := l.write("access/kubelet-client.key", config.KeyData)
	return []string{"--kubelet-client-certificate=" + cert, "--kubelet-client-key=" + key}, err
}

// controller plans one of the programs that only talk to the API server.
func (l *Lab) controller(name string, id apiserver.Identity, ready func(context.Context) error, flags ...string) error {
	config, err := l.access.Kubeconfig(id)
	if err != nil {
		return err
	}
	l.serve(name, "", func() *exec.Cmd {
		return l.command(lab.OnNode, l.program(name), append([]string{
			"--kubeconfig=" + config, "--authentication-kubeconfig=" + config, "--authorization-kubeconfig=" + config,
			"--bind-address=127.0.0.1", "--leader-elect=false",
		}, flags...)...)
	}, ready, "kube-apiserver")
	return nil
}

// unchecked is for programs whose work tells that they are there.
func unchecked(context.Context) error { return nil }

// get reads an object of the API into a value.
func (l *Lab) get(ctx context.Context, path string, into any) error {
	admin, err := l.access.Config(apiserver.Admin)
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(admin)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.access.URL+path, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, response.Status)
	}
	return decode(response.Body, into)
}
