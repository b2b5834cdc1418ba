package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"time"
)

// authority signs the certificates of one control plane. Everything it returns
// is PEM.
type authority struct {
	cert   []byte
	parsed *x509.Certificate
	key    *ecdsa.PrivateKey
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t, err := template("tests")
	if err != nil {
		return nil, err
	}
	t.IsCA, t.BasicConstraintsValid, t.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{pemBlock("CERTIFICATE", der), parsed, key}, nil
}

// client signs a certificate that authenticates as the identity.
func (a *authority) client(id Identity) (cert, key []byte, err error) {
	t, err := template(id.User)
	if err != nil {
		return nil, nil, err
	}
	t.Subject.Organization = id.Groups
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(t)
}

// readAuthority is the one of which the certificate and the key are given.
func readAuthority(cert, key []byte) (*authority, error) {
	certBlock, _ := pem.Decode(cert)
	keyBlock, _ := pem.Decode(key)
	if certBlock == nil || keyBlock == nil {
		return nil, errors.New("the authority of the API server is damaged")
	}
	parsed, err := x509.ParseCertificate(certBlock.Bytes)
	if err != nil {
		return nil, err
	}
	private, err := x509.ParseECPrivateKey(keyBlock.Bytes)
	return &authority{cert, parsed, private}, err
}

// server signs a certificate for addresses and names.
func (a *authority) server(addresses []net.IP, names ...string) (cert, key []byte, err error) {
	t, err := template("server")
	if err != nil {
		return nil, nil, err
	}
	t.IPAddresses, t.DNSNames = addresses, names
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	return a.sign(t)
}

func (a *authority) sign(t *x509.Certificate) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, t, a.parsed, private.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	key, err = privatePEM(private)
	return pemBlock("CERTIFICATE", der), key, err
}

// SigningKey is a new key, as PEM, that a server signs its tokens with.
func SigningKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return privatePEM(key)
}

func template(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour), // clocks need not agree to the second
		NotAfter:     time.Now().Add(30 * 24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}, err
}

func privatePEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	return pemBlock("EC PRIVATE KEY", der), err
}

func pemBlock(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
