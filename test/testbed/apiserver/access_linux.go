package apiserver

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/client-go/rest"

	"tsunaro.io/gateway/test/testbed/tool"
)

// Access makes clients of one API server, for any identity. It is a directory
// with the server's authority, so that processes can share it.
type Access struct {
	URL string

	dir     string
	kubectl string

	ca      *authority
	mu      sync.Mutex
	clients map[string]client
}

// NewAccess is the access to the server at an address, of a minor version, whose
// authority is in the directory: it is made where there is none.
func NewAccess(dir, address, version string) (*Access, error) {
	kubectl, err := tool.Path("kubectl-" + version)
	if err != nil {
		return nil, err
	}
	return OpenAccess(dir, address, kubectl)
}

// OpenAccess is NewAccess with a kubectl of one's own, which may be empty where
// none is run.
func OpenAccess(dir, address, kubectl string) (*Access, error) {
	ca, err := openAuthority(dir)
	if err != nil {
		return nil, err
	}
	return &Access{URL: "https://" + address, dir: dir, kubectl: kubectl, ca: ca, clients: map[string]client{}}, nil
}

// openAuthority reads the authority that a directory holds, or makes it.
func openAuthority(dir string) (*authority, error) {
	certFile, keyFile := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "ca.key")
	cert, err := os.ReadFile(certFile)
	if errors.Is(err, fs.ErrNotExist) {
		ca, err := newAuthority()
		if err != nil {
			return nil, err
		}
		key, err := privatePEM(ca.key)
		if err != nil {
			return nil, err
		}
		return ca, errors.Join(os.WriteFile(keyFile, key, 0o600), os.WriteFile(certFile, ca.cert, 0o600))
	}
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, err
	}
	return readAuthority(cert, key)
}

// Config is a client configuration for an identity.
func (a *Access) Config(id Identity) (*rest.Config, error) {
	c, err := a.client(id)
	return c.config, err
}

// Kubeconfig is the path of a file with the access of an identity.
func (a *Access) Kubeconfig(id Identity) (string, error) {
	c, err := a.client(id)
	return c.kubeconfig, err
}

// Serve returns a certificate and its key, as PEM, for a server of addresses and
// names that the clients of the authority trust.
func (a *Access) Serve(addresses []net.IP, names ...string) (cert, key []byte, err error) {
	return a.ca.server(addresses, names...)
}

// CA is the authority's certificate, as PEM.
func (a *Access) CA() []byte { return a.ca.cert }
