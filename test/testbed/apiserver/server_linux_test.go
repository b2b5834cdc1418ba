package apiserver

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"
	"time"
)

// The full servers run in `make test-lab`; here is what needs none.
func TestUnknownVersionNamesTheKnownOnes(t *testing.T) {
	_, err := Start(t.Context(), "1.20")
	if err == nil || !strings.Contains(err.Error(), "1.36") {
		t.Errorf("got %v", err)
	}
}

func TestAddressesAreDistinctLoopbackOnes(t *testing.T) {
	seen := map[string]bool{}
	for range 4 {
		a := ownAddress()
		if !a.IsLoopback() || seen[a.String()] {
			t.Errorf("%s after %v", a, seen)
		}
		seen[a.String()] = true
	}
}

// A program that ends at once is an error with the end of its log, not a wait
// until the deadline.
func TestAProgramThatEndsIsNotWaitedFor(t *testing.T) {
	p, err := launch(t.TempDir()+"/log", "/bin/sh", "-c", "echo one; echo the reason >&2; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = p.await(ctx, func(context.Context) bool { return false })
	if err == nil || !strings.Contains(err.Error(), "ended: one\nthe reason") {
		t.Errorf("got %v", err)
	}
	p.kill()
	(*process)(nil).kill() // what was never started
}

func TestCertificatesAreTheIdentity(t *testing.T) {
	ca, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.client(Minter("gateways"))
	if err != nil {
		t.Fatal(err)
	}
	name, groups := subject(t, cert)
	if name != "system:serviceaccount:gateways:tsunaro-minter" || !slices.Contains(groups, "system:serviceaccounts:gateways") || len(key) == 0 {
		t.Errorf("%s %v", name, groups)
	}
}

func subject(t *testing.T, cert []byte) (name string, groups []string) {
	t.Helper()
	block, _ := pem.Decode(cert)
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Subject.CommonName, parsed.Subject.Organization
}
