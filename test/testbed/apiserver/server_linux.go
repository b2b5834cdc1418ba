package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/client-go/rest"

	"tsunaro.io/gateway/test/testbed/loopback"
	"tsunaro.io/gateway/test/testbed/process"
	"tsunaro.io/gateway/test/testbed/tool"
)

// Versions are the minor versions that the product is tested on, oldest first.
var Versions = []string{"1.34", "1.36", "1.37"}

// Server is a running control plane.
type Server struct {
	Version string // one of Versions

	*Access
	address net.IP

	etcd, api, manager *process.Process
}

// Start runs etcd and an API server of a minor version and returns when it is
// ready. The caller stops it.
func Start(ctx context.Context, version string) (*Server, error) {
	if !slices.Contains(Versions, version) {
		return nil, fmt.Errorf("no API server %q: there are %v", version, Versions)
	}
	dir, err := os.MkdirTemp("", "apiserver-"+version+"-")
	if err != nil {
		return nil, err
	}
	s := &Server{Version: version, address: loopback.Own().AsSlice()}
	s.Access, err = NewAccess(dir, net.JoinHostPort(s.address.String(), "6443"), version)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.start(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Stop ends all processes and removes the directory.
func (s *Server) Stop() {
	for _, p := range []*process.Process{s.manager, s.api, s.etcd} {
		p.Kill()
	}
	_ = os.RemoveAll(s.dir) // of temporary files
}

// Restart kills the API server and starts it again on what etcd holds.
func (s *Server) Restart(ctx context.Context) error {
	s.api.Kill()
	return s.startAPI(ctx)
}

func (s *Server) etcdURL() string      { return "http://" + net.JoinHostPort(s.address.String(), "2379") }
func (s *Server) peerURL() string      { return "http://" + net.JoinHostPort(s.address.String(), "2380") }
func (s *Server) file(n string) string { return filepath.Join(s.dir, n) }

func launch(log, path string, args ...string) (*process.Process, error) {
	return process.Start(process.Command{Path: path, Args: args, Log: log})
}

// etcd's lock of its file is released with the process, and nothing here has to
// survive a crash of the machine.
func (s *Server) startEtcd(ctx context.Context) (err error) {
	path, err := tool.Path("etcd")
	if err != nil {
		return err
	}
	s.etcd, err = launch(s.file("etcd.log"), path,
		"--data-dir="+s.file("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+s.etcdURL(), "--advertise-client-urls="+s.etcdURL(),
		"--listen-peer-urls="+s.peerURL(), "--initial-advertise-peer-urls="+s.peerURL(), "--initial-cluster=default="+s.peerURL())
	if err != nil {
		return err
	}
	return s.etcd.Await(ctx, process.Answers(http.DefaultClient, s.etcdURL()+"/health"))
}

func (s *Server) start(ctx context.Context) (err error) {
	cert, key, err := s.Serve([]net.IP{s.address})
	if err != nil {
		return err
	}
	tokens, err := SigningKey()
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"server.crt": cert, "server.key": key, "tokens.key": tokens} {
		if err := os.WriteFile(s.file(name), data, 0o600); err != nil {
			return err
		}
	}
	if err := s.startEtcd(ctx); err != nil {
		return err
	}
	return s.startAPI(ctx)
}

func (s *Server) startAPI(ctx context.Context) (err error) {
	path, err := tool.Path("kube-apiserver-" + s.Version)
	if err != nil {
		return err
	}
	s.api, err = launch(s.file("api.log"), path,
		"--etcd-servers="+s.etcdURL(), "--bind-address="+s.address.String(), "--secure-port=6443",
		"--advertise-address=192.0.2.1", "--endpoint-reconciler-type=none", // nobody reaches it from a Pod
		"--client-ca-file="+s.file("ca.crt"), "--tls-cert-file="+s.file("server.crt"), "--tls-private-key-file="+s.file("server.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+s.file("tokens.key"), "--service-account-signing-key-file="+s.file("tokens.key"),
		"--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/16", "--profiling=false")
	if err != nil {
		return err
	}
	config, err := s.Config(Admin)
	if err != nil {
		return err
	}
	admin, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	return s.api.Await(ctx, process.Answers(admin, s.URL+"/readyz"))
}

// StartManager runs the controller manager: garbage collection, namespace
// deletion, service accounts, workloads. It returns when it is at work.
func (s *Server) StartManager(ctx context.Context) error {
	path, err := tool.Path("kube-controller-manager-" + managerVersion)
	if err != nil {
		return err
	}
	c, err := s.client(Identity{"system:kube-controller-manager", nil})
	if err != nil {
		return err
	}
	s.manager, err = launch(s.file("manager.log"), path,
		"--kubeconfig="+c.kubeconfig, "--authentication-kubeconfig="+c.kubeconfig, "--authorization-kubeconfig="+c.kubeconfig,
		"--bind-address="+s.address.String(), "--leader-elect=false",
		"--use-service-account-credentials=true", "--service-account-private-key-file="+s.file("tokens.key"), "--root-ca-file="+s.file("ca.crt"))
	if err != nil {
		return err
	}
	config, err := s.Config(Admin)
	if err != nil {
		return err
	}
	admin, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	return s.manager.Await(ctx, process.Answers(admin, s.URL+"/api/v1/namespaces/default/serviceaccounts/default"))
}

// managerVersion is that of the controller manager for every API server that it
// may be paired with: it may be one minor version older.
const managerVersion = "1.36"
