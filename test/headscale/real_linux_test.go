package headscale

import (
	"strconv"
	"testing"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
	real "tsunaro.io/gateway/test/testbed/headscale"
	"tsunaro.io/gateway/test/testbed/loopback"
)

func init() { subjects["real"] = theReal }

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
		url: s.URL, ca: s.CA(), stop: s.Stop,
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
