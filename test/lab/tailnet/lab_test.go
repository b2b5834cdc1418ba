//go:build lab && linux

package tailnet

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

const (
	namespace = api.DefaultOperatorNamespace
	version   = "1.36"
	deadline  = 2 * time.Minute
)

// server is the one API server of all tests here, installed as docs/minter.md says.
var server *apiserver.Server

func TestMain(m *testing.M) {
	code := m.Run()
	if server != nil {
		server.Stop()
	}
	os.Exit(code)
}

// account is the minter's own: it may do what the manifests say and nothing else.
var account = apiserver.Identity{
	User:   "system:serviceaccount:" + namespace + ":" + api.MinterName,
	Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace},
}

// start starts the server, once.
func start(t *testing.T) {
	t.Helper()
	if server != nil {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	s, err := apiserver.Start(ctx, version)
	if err != nil {
		t.Fatal(err)
	}
	server = s
	for _, path := range []string{"renderer/crd", "policies/admission", "minter/deploy"} {
		dir, err := filepath.Abs(filepath.Join("../../..", path))
		if err != nil {
			t.Fatal(err)
		}
		kubectl(t, "", "apply", "--server-side", "-k", dir)
	}
	kubectl(t, "", "wait", "--for=condition=Established", "crd/tailnets.tsunaro.io", "crd/tailnetgateways.tsunaro.io", "--timeout=60s")
}

// kubectl runs kubectl as the administrator.
func kubectl(t *testing.T, input string, args ...string) string {
	t.Helper()
	r, err := server.Kubectl(t.Context(), apiserver.Admin, input, args...)
	if err != nil || r.Code != 0 {
		t.Fatalf("kubectl %v: %v, exit code %d: %s", args, err, r.Code, r.Stderr)
	}
	return r.Stdout
}

// clientOf is a client of an identity, without a cache.
func clientOf(t *testing.T, id apiserver.Identity) client.WithWatch {
	t.Helper()
	config, err := server.Config(id)
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := kube.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
