package headscale

import (
	"context"
	"testing"
	"time"

	client "tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
	double "tsunaro.io/gateway/test/testbed/headscaledouble"
)

// subject is a Headscale under test.
type subject struct {
	url  string
	ca   []byte
	stop func()

	apiKey  func(*testing.T) sealed.Bytes               // a new one, valid for an hour
	machine func(*testing.T, string, ...string) node.ID // a registered node with a name and tags
}

// subjects are all kinds; the real server runs on Linux. Each test gets servers
// of its own.
var subjects = map[string]func(*testing.T) subject{"double": theDouble}

func each(t *testing.T, test func(*testing.T, context.Context, subject)) {
	for name, start := range subjects {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			test(t, ctx, start(t))
		})
	}
}

func theDouble(t *testing.T) subject {
	s := double.Start(double.Options{})
	t.Cleanup(s.Close)
	return subject{
		url: s.URL, ca: s.CA(), stop: s.Close,
		apiKey: func(*testing.T) sealed.Bytes { return sealed.New(s.CreateAPIKey(time.Hour)) },
		machine: func(_ *testing.T, name string, tags ...string) node.ID {
			return s.AddNode(node.Node{Name: name, Tags: tags, Addresses: addresses("100.64.0.1", "fd7a:115c:a1e0::1")})
		},
	}
}

// client is one of the subject's, with a key.
func (s subject) client(t *testing.T, key sealed.Bytes) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{URL: s.url, CAPEM: s.ca, Key: key, Timeout: time.Minute, Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
