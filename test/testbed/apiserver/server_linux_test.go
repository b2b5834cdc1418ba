package apiserver

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"
)

// The full servers run in `make test-lab`; here is what needs none.
func TestUnknownVersionNamesTheKnownOnes(t *testing.T) {
	_, err := Start(t.Context(), "1.20")
	if err == nil || !strings.Contains(err.Error(), "1.36") {
		t.Errorf("got %v", err)
	}
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
