package headscale_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

func TestNew(t *testing.T) {
	good := headscale.Options{URL: "https://headscale.example", Key: sealed.New("hskey-api-canary")}
	for _, tt := range []struct {
		name   string
		change func(*headscale.Options)
		want   error
	}{
		{"a host", func(*headscale.Options) {}, nil},
		{"a port and a path", func(o *headscale.Options) { o.URL = "https://10.0.0.1:8443/headscale/" }, nil},
		{"http to loopback", func(o *headscale.Options) { o.URL = "http://127.0.0.1:8080" }, nil},
		{"http where it is allowed", func(o *headscale.Options) { o.URL, o.AllowHTTP = "http://headscale.example", true }, nil},
		{"http", func(o *headscale.Options) { o.URL = "http://headscale.example" }, headscale.ErrURL},
		{"no URL", func(o *headscale.Options) { o.URL = "" }, headscale.ErrURL},
		{"a password in the URL", func(o *headscale.Options) { o.URL = "https://u:canary@headscale.example" }, headscale.ErrURL},
		{"a query", func(o *headscale.Options) { o.URL = "https://headscale.example/?k=canary" }, headscale.ErrURL},
		{"a file", func(o *headscale.Options) { o.URL = "file:///canary" }, headscale.ErrURL},
		{"no certificate", func(o *headscale.Options) { o.CAPEM = []byte("canary") }, headscale.ErrCA},
		{"no key", func(o *headscale.Options) { o.Key = sealed.Bytes{} }, headscale.ErrKey},
		{"a blank key", func(o *headscale.Options) { o.Key = sealed.New(" \n") }, headscale.ErrKey},
		{"two lines", func(o *headscale.Options) { o.Key = sealed.New("canary\r\nHost: x") }, headscale.ErrKey},
		{"letters of no key", func(o *headscale.Options) { o.Key = sealed.New("canäry") }, headscale.ErrKey},
	} {
		o := good
		tt.change(&o)
		c, err := headscale.New(o)
		if err != tt.want || (c == nil) != (err != nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if strings.Contains(fmt.Sprintf("%v %+v %#v", err, c, c), "canary") {
			t.Errorf("%s: shown in %v, %+v", tt.name, err, c)
		}
	}
}

// The server is under a path of its host.
func TestURLWithAPath(t *testing.T) {
	s, o := serve(t, headscaledouble.Options{})
	o.URL += "/headscale/"
	wantClass(t, "nodes", second(connect(t, o).Nodes(t.Context())), headscale.NotHeadscale)
	if s.Count("GET", "/headscale/api/v1/node") != 1 {
		t.Errorf("sent %v", s.Requests())
	}
}

// Only the given roots are trusted, for the given name, by a TLS that is not old.
// Nothing is sent before.
func TestTLS(t *testing.T) {
	s, good := home(t, headscaledouble.Options{})
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	defer old.Close()
	port := good.URL[strings.LastIndex(good.URL, ":"):]
	for _, tt := range []struct {
		name   string
		change func(*headscale.Options)
		class  headscale.Class
	}{
		{"trusted", func(*headscale.Options) {}, headscale.OK},
		{"one of two roots", func(o *headscale.Options) { o.CAPEM = append(another(t), o.CAPEM...) }, headscale.OK},
		{"the system's roots", func(o *headscale.Options) { o.CAPEM = nil }, headscale.TLS},
		{"another root", func(o *headscale.Options) { o.CAPEM = another(t) }, headscale.TLS},
		{"another name", func(o *headscale.Options) { o.URL = "https://localhost" + port }, headscale.TLS},
		{"no TLS", func(o *headscale.Options) { o.URL = "https" + strings.TrimPrefix(plain.URL, "http") }, headscale.TLS},
		{"TLS 1.1", func(o *headscale.Options) { o.URL = old.URL }, headscale.TLS},
	} {
		o := good
		tt.change(&o)
		before := len(s.Requests())
		c := connect(t, o)
		wantClass(t, tt.name, second(c.Nodes(t.Context())), tt.class)
		_, _, err := c.CreateKey(t.Context(), request)
		wantClass(t, tt.name+": mint", err, tt.class)
		if sent := len(s.Requests()) - before; (sent > 0) != (tt.class == headscale.OK) {
			t.Errorf("%s: %d requests", tt.name, sent)
		}
	}
}

// another is a certificate that has signed nothing.
func another(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
