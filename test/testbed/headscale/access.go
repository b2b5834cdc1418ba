package headscale

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"tsunaro.io/gateway/test/testbed/tool"
)

// Options say where a server is. Zero ports are the usual ones.
type Options struct {
	Dir      string     // that holds everything; made where it is missing
	Address  netip.Addr // of all its sockets
	Port     uint16     // of HTTPS: the control server, the REST API and DERP (8443)
	STUNPort uint16     // UDP (3478)
	GRPCPort uint16     // remote gRPC, which nobody here uses (50443)
	Names    []string   // DNS names that the certificate has beside the address

	ServerURL string // that nodes are told; empty is that of the address

	Program string // path of headscale; empty is the pinned one, which may have to be built
}

// Access is what it takes to use a server: its directory.
type Access struct {
	URL string // https://ADDRESS:PORT

	options Options
	ca      []byte
}

// Open prepares the directory, or takes it as it is when a server has run on it.
func Open(o Options) (*Access, error) {
	o.Port, o.STUNPort, o.GRPCPort = cmp.Or(o.Port, 8443), cmp.Or(o.STUNPort, 3478), cmp.Or(o.GRPCPort, 50443)
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	o.Dir = dir
	if o.Program == "" {
		if o.Program, err = tool.Path("headscale"); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	url := "https://" + o.at(o.Port)
	o.ServerURL = cmp.Or(o.ServerURL, url)
	a := &Access{URL: url, options: o}
	if err := a.certify(); err != nil {
		return nil, err
	}
	return a, a.configure()
}

// at is the server's address with a port.
func (o Options) at(port uint16) string { return netip.AddrPortFrom(o.Address, port).String() }

func (a *Access) file(name string) string { return filepath.Join(a.options.Dir, name) }

// certify reads the certificate of the directory, or makes it.
func (a *Access) certify() (err error) {
	a.ca, err = os.ReadFile(a.file("tls.crt"))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	cert, key, err := selfSigned(a.options.Address, a.options.Names)
	if err != nil {
		return err
	}
	a.ca = cert
	return errors.Join(os.WriteFile(a.file("tls.key"), key, 0o600), os.WriteFile(a.file("tls.crt"), cert, 0o644))
}

// CA is the PEM of the only root that the server's certificate has.
func (a *Access) CA() []byte { return a.ca }

// HTTP is a client that trusts the server and no other.
func (a *Access) HTTP() *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.ca)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
}

// CLI runs the server's command line, which needs no key, and decodes its JSON
// into out, unless that is nil. The server must run.
func (a *Access) CLI(ctx context.Context, out any, args ...string) error {
	cmd := exec.CommandContext(ctx, a.options.Program, append([]string{"--config", a.file("config.yaml"), "--output", "json"}, args...)...)
	cmd.Dir, cmd.Env = a.options.Dir, a.env()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("headscale %s: %w: %s%s", args[0], err, &stdout, &stderr)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(stdout.Bytes(), out)
}

// Serve is how the server is run: Start does so, and others who watch it
// themselves.
func (a *Access) Serve() (program string, args, env []string) {
	return a.options.Program, []string{"serve", "--config", a.file("config.yaml")}, a.env()
}

// env is the environment of the program, which would take every setting from
// variables too.
func (a *Access) env() []string {
	return []string{"HOME=" + a.options.Dir, "PATH=" + os.Getenv("PATH")}
}

// CreateUser makes a user and returns its id.
func (a *Access) CreateUser(ctx context.Context, name string) (uint64, error) {
	var user struct{ ID uint64 }
	err := a.CLI(ctx, &user, "users", "create", name)
	return user.ID, err
}

// CreateAPIKey makes a key for the REST API. Lifetime is as the command line
// takes it: 30m, 24h.
func (a *Access) CreateAPIKey(ctx context.Context, lifetime string) (key string, err error) {
	return key, a.CLI(ctx, &key, "apikeys", "create", "--expiration", lifetime)
}

// SetPolicy replaces the tailnet's policy.
func (a *Access) SetPolicy(ctx context.Context, policy string) error {
	if err := os.WriteFile(a.file("policy.hujson"), []byte(policy), 0o600); err != nil {
		return err
	}
	return a.CLI(ctx, nil, "policy", "set", "--file", a.file("policy.hujson"))
}

// CreateNode registers a machine that does not exist, as a user's, with the tags
// that the policy lets it have. It is never online.
func (a *Access) CreateNode(ctx context.Context, user, name string, tags ...string) (id uint64, err error) {
	request, err := registrationID()
	if err != nil {
		return 0, err
	}
	if err := a.CLI(ctx, nil, "debug", "create-node", "--user", user, "--name", name, "--key", request); err != nil {
		return 0, err
	}
	var node struct{ ID uint64 }
	if err := a.CLI(ctx, &node, "auth", "register", "--user", user, "--auth-id", request); err != nil {
		return 0, err
	}
	for _, tag := range tags {
		if err := a.CLI(ctx, nil, "nodes", "tag", "--identifier", strconv.FormatUint(node.ID, 10), "--tags", tag); err != nil {
			return 0, err
		}
	}
	return node.ID, nil
}
