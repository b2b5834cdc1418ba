//go:build lab

package access

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// version is that of the API server. RBAC is the same on the others.
const version = "1.36"

// namespace is the operator namespace, and another one anybody else's.
const (
	namespace = api.DefaultOperatorNamespace
	another   = "another"
)

// deadline is for anything that a test waits for.
const deadline = 2 * time.Minute

var server struct {
	sync.Mutex
	*apiserver.Server
	installed bool
}

func TestMain(m *testing.M) {
	code := m.Run()
	if server.Server != nil {
		server.Stop()
	}
	os.Exit(code)
}

// lab is an API server with the minter installed, which all tests share.
type lab struct {
	*testing.T
	*apiserver.Server
}

func start(t *testing.T) lab {
	t.Helper()
	server.Lock()
	defer server.Unlock()
	if server.Server == nil {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		s, err := apiserver.Start(ctx, version)
		if err != nil {
			t.Fatal(err)
		}
		server.Server = s
		l := lab{t, s}
		l.install()
		l.kubectl("", "create", "namespace", another)
		l.elsewhere()
		server.installed = true
	}
	if !server.installed {
		t.Fatal("the minter could not be installed")
	}
	return lab{t, server.Server}
}

// account is a service account with no rights but its own.
func account(namespace, name string) apiserver.Identity {
	id := apiserver.ServiceAccount(namespace, name)
	id.Groups = id.Groups[:2:2] // without the administrators
	return id
}

// minter is the minter of the operator namespace, as RBAC sees it.
func minter() apiserver.Identity { return account(namespace, api.MinterName) }

func (l lab) client(id apiserver.Identity) *kubernetes.Clientset {
	l.Helper()
	config, err := l.Config(id)
	if err != nil {
		l.Fatal(err)
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		l.Fatal(err)
	}
	return c
}

func (l lab) dynamic(id apiserver.Identity) *dynamic.DynamicClient {
	l.Helper()
	config, err := l.Config(id)
	if err != nil {
		l.Fatal(err)
	}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		l.Fatal(err)
	}
	return c
}

// ctx is a context that a test's cleanups can use too.
func (l lab) ctx() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(l.Context()), deadline)
}

// kubectl is one of an administrator that has to succeed.
func (l lab) kubectl(input string, args ...string) string {
	l.Helper()
	ctx, cancel := l.ctx()
	defer cancel()
	r, err := l.Kubectl(ctx, apiserver.Admin, input, args...)
	if err != nil {
		l.Fatal(err)
	}
	if r.Code != 0 {
		l.Fatalf("kubectl %v: exit code %d\n%s%s", args, r.Code, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// root is the directory of the repository.
func (l lab) root() string {
	l.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		l.Fatal(err)
	}
	return dir
}

// eventually polls until the condition holds: what the server takes in through
// its own watches is there a moment later.
func (l lab) eventually(what string, holds func() bool) {
	l.Helper()
	ctx, cancel := l.ctx()
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			l.Fatalf("waited in vain until %s", what)
		}
	}
}
