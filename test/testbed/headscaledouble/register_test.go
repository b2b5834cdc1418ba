package headscaledouble_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

// call sends a request with a key and decodes the answer.
func call(t *testing.T, s *headscaledouble.Server, key, method, path, body string, out any) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := s.HTTP().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if out != nil {
		if err := json.NewDecoder(response.Body).Decode(out); err != nil {
			t.Fatal(err)
		}
	}
	return response.StatusCode
}

type listed struct {
	ID              node.ID
	NodeKey         string
	Online          bool
	Tags            []string
	SubnetRoutes    []string
	PreAuthKey      *struct{ ID string }
	Expiry          *time.Time
	AvailableRoutes []string
}

func list(t *testing.T, s *headscaledouble.Server, key string) []listed {
	t.Helper()
	var a struct{ Nodes []listed }
	if code := call(t, s, key, "GET", "/api/v1/node", "", &a); code != http.StatusOK {
		t.Fatalf("HTTP %d", code)
	}
	return a.Nodes
}

// A machine with a key becomes a node with the key's tags, and stays that node
// whatever becomes of the key.
func TestRegister(t *testing.T) {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	s := headscaledouble.Start(headscaledouble.Options{Now: func() time.Time { return now }})
	defer s.Close()
	key := s.CreateAPIKey(48 * time.Hour)
	for _, body := range []string{
		`{"reusable":true,"aclTags":["tag:gateway"],"expiration":"2026-12-02T08:00:00Z"}`,
		`{"reusable":false,"aclTags":["tag:gateway"],"expiration":"2026-12-02T08:00:00Z"}`,
		`{"reusable":true,"aclTags":["tag:gateway"]}`,
	} {
		if code := call(t, s, key, "POST", "/api/v1/preauthkey", body, nil); code != http.StatusOK {
			t.Fatalf("HTTP %d", code)
		}
	}
	reusable, single, expired := s.Keys()[0].Bytes, s.Keys()[1].Bytes, s.Keys()[2].Bytes
	gateway := node.Node{Name: "lab-gw", MachineKey: "mkey:1", NodeKey: "nodekey:1", Online: true, Advertised: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}}

	for _, tt := range []struct {
		key, machine string
		id           node.ID
		err          error
	}{
		{"hskey-auth-x", "mkey:1", "", headscaledouble.ErrUnknownKey},
		{expired, "mkey:1", "", headscaledouble.ErrExpiredKey},
		{reusable, "mkey:1", "1", nil},
		{"", "mkey:1", "1", nil},
		{single, "mkey:2", "2", nil},
		{single, "mkey:3", "", headscaledouble.ErrUsedKey},
		{reusable, "mkey:3", "3", nil},
	} {
		n := gateway
		n.MachineKey = tt.machine
		if id, err := s.Register(tt.key, n); id != tt.id || !errors.Is(err, tt.err) {
			t.Errorf("%.22s, %s: %q, %v", tt.key, tt.machine, id, err)
		}
	}
	now = now.Add(25 * time.Hour)
	if _, err := s.Register(reusable, node.Node{Name: "late"}); !errors.Is(err, headscaledouble.ErrExpiredKey) {
		t.Errorf("got %v", err)
	}
	if !s.Keys()[0].Used {
		t.Error("the key is not used")
	}
	nodes := list(t, s, key)
	if len(nodes) != 3 || nodes[1].PreAuthKey == nil || nodes[1].PreAuthKey.ID != "2" || strings.Join(nodes[1].Tags, " ") != "tag:gateway" {
		t.Errorf("%+v", nodes)
	}
}

// An online node serves what it advertises and is approved, in lists only.
func TestServedRoutes(t *testing.T) {
	s := headscaledouble.Start(headscaledouble.Options{})
	defer s.Close()
	key := s.CreateAPIKey(time.Hour)
	lan, other := netip.MustParsePrefix("10.0.0.0/24"), netip.MustParsePrefix("10.1.0.0/24")
	id := s.AddNode(node.Node{Name: "gw", Online: true, Advertised: []netip.Prefix{lan}, Approved: []netip.Prefix{lan, other}})
	if n := list(t, s, key)[0]; strings.Join(n.SubnetRoutes, " ") != "10.0.0.0/24" || n.Expiry != nil {
		t.Errorf("%+v", n)
	}
	var single struct{ Node listed }
	if call(t, s, key, "GET", "/api/v1/node/"+string(id), "", &single); len(single.Node.SubnetRoutes) != 0 {
		t.Errorf("%+v", single)
	}
	if !s.ChangeNode(id, func(n *node.Node) { n.Online, n.Expired = false, true }) || s.ChangeNode("9", func(*node.Node) {}) {
		t.Error("another node is changed")
	}
	if n := list(t, s, key)[0]; len(n.SubnetRoutes) != 0 || n.Expiry == nil || !n.Expiry.Before(time.Now()) {
		t.Errorf("%+v", n)
	}
	if s.RemoveNode(id); len(list(t, s, key)) != 0 {
		t.Error("the node is still there")
	}
}

// Faults answer the requests that they fit, in order, as often as they say.
func TestFaults(t *testing.T) {
	s := headscaledouble.Start(headscaledouble.Options{})
	defer s.Close()
	key := s.CreateAPIKey(time.Hour)
	s.Fail(headscaledouble.Fault{Method: "DELETE", Answer: headscaledouble.LoginPage})
	s.Fail(headscaledouble.Fault{Path: "/api/v1/node/*", Times: 2, Answer: headscaledouble.BadGateway})
	for _, tt := range []struct {
		method, path string
		code         int
	}{
		{"GET", "/api/v1/node", 200},
		{"GET", "/api/v1/node/1", 502},
		{"DELETE", "/api/v1/node/1", 200},
		{"GET", "/api/v1/node/1", 502},
		{"GET", "/api/v1/node/1", 404},
		{"DELETE", "/api/v1/node/1", 200},
	} {
		if code := call(t, s, key, tt.method, tt.path, "", nil); code != tt.code {
			t.Errorf("%s %s: HTTP %d, not %d", tt.method, tt.path, code, tt.code)
		}
	}
	s.Heal()
	if code := call(t, s, key, "DELETE", "/api/v1/node/1", "", nil); code != http.StatusNotFound {
		t.Errorf("healed: HTTP %d", code)
	}
	if n := s.Count("DELETE", "/api/v1/node/1"); n != 3 {
		t.Errorf("%d requests", n)
	}
	if code := call(t, s, s.CreateAPIKey(-time.Hour), "GET", "/api/v1/node", "", nil); code != http.StatusUnauthorized {
		t.Errorf("an expired key: HTTP %d", code)
	}
}
