package headscale_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/test/testbed/headscale"
	"tsunaro.io/gateway/test/testbed/loopback"
)

func start(t *testing.T, o headscale.Options) (*headscale.Server, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s, err := headscale.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s, ctx
}

// A killed server comes back with its nodes, keys and certificate: what callers
// hold of it stays true.
func TestRestart(t *testing.T) {
	s, ctx := start(t, headscale.Options{Dir: t.TempDir(), Address: loopback.Own()})
	if id, err := s.CreateUser(ctx, "lab"); err != nil || id != 1 {
		t.Fatalf("user %d: %v", id, err)
	}
	if err := s.SetPolicy(ctx, `{"tagOwners": {"tag:gateway": ["lab@"]}}`); err != nil {
		t.Fatal(err)
	}
	if id, err := s.CreateNode(ctx, "lab", "gw", "tag:gateway"); err != nil || id != 1 {
		t.Fatalf("node %d: %v", id, err)
	}
	key, err := s.CreateAPIKey(ctx, "24h")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code := status(ctx, t, s.Access, key); code != http.StatusOK {
			t.Errorf("HTTP %d", code)
		}
		if err := s.Restart(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var nodes []struct {
		ID   uint64
		Tags []string
	}
	if err := s.CLI(ctx, &nodes, "nodes", "list"); err != nil || len(nodes) != 1 || len(nodes[0].Tags) != 1 {
		t.Errorf("%v: %v", nodes, err)
	}
	if code := status(ctx, t, s.Access, key+"x"); code != http.StatusUnauthorized {
		t.Errorf("HTTP %d with a wrong key", code)
	}
}

func status(ctx context.Context, t *testing.T, a *headscale.Access, key string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL+"/api/v1/node/1", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := a.HTTP().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// Another process finds a running server by its directory.
func TestAccessFromTheDirectory(t *testing.T) {
	o := headscale.Options{Dir: t.TempDir(), Address: loopback.Own(), Port: 9443, STUNPort: 9478, GRPCPort: 9444, Names: []string{"headscale.test"}, ServerURL: "https://headscale.test"}
	s, ctx := start(t, o)
	a, err := headscale.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if a.URL != s.URL || !strings.HasSuffix(a.URL, ":9443") || string(a.CA()) != string(s.CA()) {
		t.Errorf("%s, %s", a.URL, s.URL)
	}
	if key, err := a.CreateAPIKey(ctx, "1h"); err != nil || status(ctx, t, a, key) != http.StatusNotFound {
		t.Error(err)
	}
	err = a.CLI(ctx, nil, "nodes", "delete", "--identifier", "7", "--force")
	if err == nil || !strings.Contains(err.Error(), "node not found") {
		t.Errorf("got %v", err)
	}
}

// A server that cannot start is an error with the reason, not a wait.
func TestAddressInUse(t *testing.T) {
	o := headscale.Options{Dir: t.TempDir(), Address: loopback.Own()}
	_, ctx := start(t, o)
	o.Dir = t.TempDir()
	_, err := headscale.Start(ctx, o)
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("got %v", err)
	}
	if log, err := os.ReadFile(filepath.Join(o.Dir, "headscale.log")); err != nil || len(log) == 0 {
		t.Errorf("log: %v", err)
	}
}
