package headscale

import (
	"context"
	"strconv"
	"testing"
	"time"

	client "tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
	real "tsunaro.io/gateway/test/testbed/headscale"
	double "tsunaro.io/gateway/test/testbed/headscaledouble"
	"tsunaro.io/gateway/test/testbed/loopback"
)

// subject is a Headscale under test.
type subject struct {
	url string
	ca  []byte

	apiKey  func(*testing.T) sealed.Bytes               // a new one, valid for an hour
	machine func(*testing.T, string, ...string) node.ID // a registered node with a name and tags
}

// subjects are all kinds. Each test gets servers of its own.
var subjects = map[string]func(*testing.T) subject{"double": theDouble, "real": theReal}

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
		url: s.URL, ca: s.CA(),
		apiKey: func(*testing.T) sealed.Bytes { return sealed.New(s.CreateAPIKey(time.Hour)) },
		machine: func(_ *testing.T, name string, tags ...string) node.ID {
			return s.AddNode(node.Node{Name: name, Tags: tags, Addresses: addresses("100.64.0.1", "fd7a:115c:a1e0::1")})
		},
	}
}

const (
	user   = "lab"
	policy = `{"tagOwners": {"tag:gateway": ["lab@"]}}`
)

func theReal(t *testing.T) subject {
	s, err := real.Start(t.Context(), real.Options{Dir: t.TempDir(), Address: loopback.Own()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	if _, err := s.CreateUser(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPolicy(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	return subject{
		url: s.URL, ca: s.CA(),
		apiKey: func(t *testing.T) sealed.Bytes {
			key, err := s.CreateAPIKey(t.Context(), "1h")
			if err != nil {
				t.Fatal(err)
			}
			return sealed.New(key)
		},
		machine: func(t *testing.T, name string, tags ...string) node.ID {
			id, err := s.CreateNode(t.Context(), user, name, tags...)
			if err != nil {
				t.Fatal(err)
			}
			return node.ID(strconv.FormatUint(id, 10))
		},
	}
}

// client is one of the subject's, with a key.
func (s subject) client(t *testing.T, key sealed.Bytes) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{URL: s.url, CAPEM: s.ca, Key: key, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
