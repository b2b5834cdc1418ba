//go:build lab

package apiserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/test/testbed/apiserver"
)

// deadline is for anything that a test waits for.
const deadline = 2 * time.Minute

// mutating are the versions that know mutating admission policies.
var mutating = []string{"1.36", "1.37"}

// lab is one API server with the policies installed.
type lab struct {
	*apiserver.Server
	worlds atomic.Int32
	ready  bool // the policies are installed and in force
}

var (
	labsMu sync.Mutex
	labs   = map[string]*lab{}
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, l := range labs {
		l.Stop()
	}
	os.Exit(code)
}

// each runs a test on the servers of several versions. A server is started once
// and shared: every test has namespaces of its own.
func each(t *testing.T, versions []string, test func(*testing.T, *lab)) {
	t.Helper()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) { test(t, start(t, version)) })
	}
}

func start(t *testing.T, version string) *lab {
	t.Helper()
	labsMu.Lock()
	defer labsMu.Unlock()
	l := labs[version]
	if l == nil {
		l = newLab(t, version)
		labs[version] = l
		l.install(t)
		l.ready = true
	}
	if !l.ready {
		t.Fatalf("the policies could not be installed on %s", version)
	}
	return l
}

func newLab(t *testing.T, version string) *lab {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	s, err := apiserver.Start(ctx, version)
	if err != nil {
		t.Fatal(err)
	}
	return &lab{Server: s}
}

// mutates tells whether the server fills in UIDs and keeps the zone itself.
func (l *lab) mutates() bool { return l.Version != "1.34" }

// maxWorlds is how many operator namespaces the policies are installed for.
const maxWorlds = 40

// install installs the CRDs and, as docs/binding.md says, the policies for the
// namespaces of the tests, and waits until each one is in force.
func (l *lab) install(t *testing.T) {
	t.Helper()
	base, err := filepath.Abs("../../../policies/admission")
	if err != nil {
		t.Fatal(err)
	}
	if !l.mutates() {
		base = filepath.Join(base, "below-1.36")
	}
	namespaces := make([]string, maxWorlds)
	for i := range namespaces {
		namespaces[i] = namespaceName(i)
	}
	dir := t.TempDir()
	relative, err := filepath.Rel(dir, base)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(overlay(t), "policies/admission", relative)
	text = strings.ReplaceAll(text, "[gateways, gateways-test]", "["+strings.Join(namespaces, ", ")+"]")
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	w := l.world(t)
	w.must(apiserver.Admin, "", "apply", "--server-side", "-k", "../../../renderer/crd")
	w.must(apiserver.Admin, "", "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
	w.prepareProbes()
	w.must(apiserver.Admin, "", "apply", "-k", dir)
	w.awaitPolicies()
}

func namespaceName(i int) string { return fmt.Sprintf("op-%d", i) }

// dynamic is a Go client for an identity.
func (l *lab) dynamic(t testing.TB, id apiserver.Identity) dynamic.Interface {
	t.Helper()
	config, err := l.Config(id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// eventually polls until the condition holds: what the server takes in through
// its own watches is there a moment later.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
