package headscale

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/model"
)

// Options say which Headscale is meant and how it is waited for.
type Options struct {
	URL       string       // of the server: https://host[:port][/path]
	AllowHTTP bool         // http also to a host that is not loopback (spec.allowHTTP)
	CAPEM     []byte       // the only roots to trust; none are the system's
	Key       sealed.Bytes // API key; white space around it is not part of it

	Timeout time.Duration // of one request and its answer; 0 is 10 s
	Tries   uint          // of a read; 0 is 3
	Pause   time.Duration // before the second try, doubled before every further one; 0 is 250 ms

	Observe func(Op, Class, time.Duration) // called after every request, also before it is tried again; may be nil
	Now     func() time.Time               // what a node's expiry is compared with; nil is the clock
}

// Errors of New.
var (
	ErrURL = errors.New("the URL is none of a Headscale server: https://host[:port][/path], http only where it is allowed")
	ErrCA  = errors.New("the CA bundle holds no certificate")
	ErrKey = errors.New("the API key is empty or holds characters that no key has")
)

// Client talks to one Headscale with one API key. It may be used concurrently.
type Client struct {
	base   string // without a final slash
	key    sealed.Bytes
	reads  *http.Transport // keeps connections
	writes *http.Transport // a new one for each request: an old one may break under it

	timeout, pause time.Duration
	tries          uint
	observe        func(Op, Class, time.Duration)
	now            func() time.Time
}

// New makes a client; nothing is sent. The error is ErrURL, ErrCA or ErrKey.
func New(o Options) (*Client, error) {
	u, ok := model.ParseURL(o.URL)
	if !ok || !u.HTTPS && !u.Loopback && !o.AllowHTTP {
		return nil, ErrURL
	}
	key := strings.TrimSpace(string(o.Key.Open()))
	if !token(key) {
		return nil, ErrKey
	}
	var roots *x509.CertPool
	if len(o.CAPEM) > 0 {
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(o.CAPEM) {
			return nil, ErrCA
		}
	}
	c := &Client{
		base: strings.TrimSuffix(o.URL, "/"), key: sealed.New(key), reads: transport(roots), writes: transport(roots),
		timeout: o.Timeout, tries: o.Tries, pause: o.Pause, observe: o.Observe, now: o.Now,
	}
	c.writes.DisableKeepAlives = true
	c.defaults()
	return c, nil
}

// Format writes a fixed text for every verb: a request under way holds the key in
// its header.
func (Client) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "[Headscale client]") // the error is the writer's own, which fmt keeps
}

func (c *Client) defaults() {
	if c.timeout == 0 {
		c.timeout = 10 * time.Second
	}
	if c.tries == 0 {
		c.tries = 3
	}
	if c.pause == 0 {
		c.pause = 250 * time.Millisecond
	}
	if c.observe == nil {
		c.observe = func(Op, Class, time.Duration) {}
	}
	if c.now == nil {
		c.now = time.Now
	}
}

// Close lets go of connections that are not in use. The client stays usable.
func (c *Client) Close() { c.reads.CloseIdleConnections() }

// transport speaks HTTP/1.1 only, whose requests are never sent a second time
// behind the caller's back once they were on a new connection.
func transport(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    5 * time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConnsPerHost:    2,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // an answer's length is its length
	}
}

// token reports whether s can stand in an Authorization header: visible ASCII.
func token(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}
