package headscale

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	client "tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
)

func addresses(texts ...string) (list []netip.Addr) {
	for _, s := range texts {
		list = append(list, netip.MustParseAddr(s))
	}
	return list
}

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, s := range texts {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}

func wantClass(t *testing.T, what string, err error, want client.Class) {
	t.Helper()
	if got := client.ClassOf(err); got != want {
		t.Errorf("%s: %q (%v), not %q", what, got, err, want)
	}
}

const unknown = node.ID("999")

// A key from its minting to its end: its expiry is what was asked for, then it is
// now, and ending it twice, or one that never was, is no error in 0.29.
//
// REQ: MT-01 MT-08
func TestKeyLifecycle(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		c := s.client(t, s.apiKey(t))
		start := time.Now()
		request := mint.New([]string{"tag:gateway", "tag:b", "tag:gateway"}, start)
		key, bytes, err := c.CreateKey(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		minted, err := mint.Check(request, key, bytes)
		if err != nil {
			t.Fatalf("%v: %+v", err, key)
		}
		expires, listed, err := c.KeyExpiration(ctx, minted.ID)
		if err != nil || !listed || !expires.Equal(request.Expiration) {
			t.Errorf("expires %v, listed %t: %v", expires, listed, err)
		}
		for range 2 {
			wantClass(t, "expiring", c.ExpireKey(ctx, minted.ID), client.OK)
		}
		expires, listed, err = c.KeyExpiration(ctx, minted.ID)
		if err != nil || !listed || expires.Before(start) || expires.After(time.Now()) {
			t.Errorf("expired at %v, listed %t: %v", expires, listed, err)
		}
		wantClass(t, "expiring an unknown key", c.ExpireKey(ctx, unknown), client.OK)
		if _, listed, err := c.KeyExpiration(ctx, unknown); listed || err != nil {
			t.Errorf("unknown key: listed %t: %v", listed, err)
		}
	})
}

func TestKeysThatAreNotMinted(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		c := s.client(t, s.apiKey(t))
		for name, tags := range map[string][]string{"none": nil, "no tag": {"gateway"}, "upper case": {"tag:Gateway"}} {
			_, bytes, err := c.CreateKey(ctx, mint.New(tags, time.Now()))
			wantClass(t, "tags: "+name, err, client.Refused)
			if !bytes.Empty() {
				t.Errorf("%s: a key", name)
			}
		}
	})
}

// Two keys of one request are two keys.
func TestKeysAreDistinct(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		c, request := s.client(t, s.apiKey(t)), mint.New([]string{"tag:gateway"}, time.Now())
		a, aBytes, err := c.CreateKey(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		b, bBytes, err := c.CreateKey(ctx, request)
		if err != nil || a.ID == b.ID || aBytes.Equal(bBytes) {
			t.Errorf("keys %s and %s: %v", a.ID, b.ID, err)
		}
	})
}

// A node from its registration to its end, and what is said of one that is not.
//
// REQ: LC-06
func TestNodes(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		c := s.client(t, s.apiKey(t))
		if nodes, err := c.Nodes(ctx); err != nil || len(nodes) != 0 {
			t.Fatalf("%v: %v", nodes, err)
		}
		id := s.machine(t, "gw", "tag:gateway")
		nodes, err := c.Nodes(ctx)
		if err != nil || len(nodes) != 1 {
			t.Fatalf("%v: %v", nodes, err)
		}
		n := nodes[0]
		if a, ok := n.IPv4(); n.ID != id || n.Name != "gw" || n.GivenName != "gw" || !n.Tagged([]string{"tag:gateway"}) ||
			n.Online || n.Expired || n.KeyID != "" || !ok || a != netip.MustParseAddr("100.64.0.1") {
			t.Errorf("listed: %+v", n)
		}
		one, err := c.Node(ctx, id)
		if err != nil || one.ID != id || one.MachineKey != n.MachineKey || one.NodeKey != n.NodeKey || !one.Tagged(n.Tags) {
			t.Errorf("single: %+v: %v", one, err)
		}
		if gone, err := c.Gone(ctx, id); gone || err != nil {
			t.Errorf("gone %t: %v", gone, err)
		}
		wantClass(t, "deleting", c.DeleteNode(ctx, id), client.OK)
		wantClass(t, "deleting again", c.DeleteNode(ctx, id), client.NotFound)
		for _, id := range []node.ID{id, unknown} {
			_, err := c.Node(ctx, id)
			wantClass(t, "an unknown node", err, client.NotFound)
			if gone, err := c.Gone(ctx, id); !gone || err != nil {
				t.Errorf("gone %t: %v", gone, err)
			}
		}
	})
}

// The approved set is replaced, and may hold routes that nobody advertises.
func TestRoutes(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		c, id := s.client(t, s.apiKey(t)), s.machine(t, "gw", "tag:gateway")
		for _, routes := range [][]netip.Prefix{prefixes("10.1.0.0/24", "10.0.0.0/24", "10.1.0.0/24"), prefixes("10.2.0.0/24"), nil} {
			want := slices.Compact(slices.SortedFunc(slices.Values(routes), netip.Prefix.Compare))
			n, err := c.ApproveRoutes(ctx, id, routes)
			if err != nil || n.ID != id || !slices.Equal(n.Approved, want) || len(n.Served) != 0 {
				t.Errorf("%v: %+v: %v", routes, n, err)
			}
			if nodes, err := c.Nodes(ctx); err != nil || len(nodes) != 1 || !slices.Equal(nodes[0].Approved, want) {
				t.Errorf("%v: listed %+v: %v", routes, nodes, err)
			}
		}
		_, err := c.ApproveRoutes(ctx, unknown, nil)
		wantClass(t, "an unknown node", err, client.Refused)
	})
}

// The working key is minted with another, found by its prefix, and ended.
func TestAPIKeys(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		bootstrap := s.client(t, s.apiKey(t))
		expiration := time.Now().UTC().Add(24 * time.Hour).Truncate(time.Second)
		bytes, err := bootstrap.CreateAPIKey(ctx, expiration)
		if err != nil {
			t.Fatal(err)
		}
		prefix, ok := client.APIKeyPrefix(bytes)
		if !ok {
			t.Fatal("the key has no prefix")
		}
		working := s.client(t, bytes)
		keys, err := working.APIKeys(ctx)
		i := slices.IndexFunc(keys, func(k client.APIKey) bool { return k.Prefix == prefix })
		if err != nil || len(keys) != 2 || i < 0 || keys[i].ID == "" || !keys[i].Expiration.Equal(expiration) {
			t.Fatalf("%v: %v", keys, err)
		}
		wantClass(t, "an unknown prefix", bootstrap.ExpireAPIKey(ctx, "aaaaaaaaaaaa"), client.Refused)
		wantClass(t, "expiring", bootstrap.ExpireAPIKey(ctx, prefix), client.OK)
		wantClass(t, "expiring again", bootstrap.ExpireAPIKey(ctx, prefix), client.OK)
		_, err = working.Nodes(ctx)
		wantClass(t, "an expired key", err, client.Unauthorized)
	})
}

// Every request with a wrong key is Unauthorized, and mints nothing for certain.
func TestUnauthorized(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		for name, key := range map[string]string{"text": "wrong", "unknown": "hskey-api-aaaaaaaaaaaa-" + strings.Repeat("b", 64)} {
			c := s.client(t, sealed.New(key))
			_, err := c.Nodes(ctx)
			wantClass(t, name+": nodes", err, client.Unauthorized)
			_, err = c.Node(ctx, unknown)
			wantClass(t, name+": node", err, client.Unauthorized)
			_, err = c.Gone(ctx, unknown)
			wantClass(t, name+": gone", err, client.Unauthorized)
			_, _, err = c.CreateKey(ctx, mint.New([]string{"tag:gateway"}, time.Now()))
			wantClass(t, name+": create key", err, client.Unauthorized)
			wantClass(t, name+": expire key", c.ExpireKey(ctx, unknown), client.Unauthorized)
			wantClass(t, name+": delete", c.DeleteNode(ctx, unknown), client.Unauthorized)
			_, err = c.CreateAPIKey(ctx, time.Now())
			wantClass(t, name+": create API key", err, client.Unauthorized)
		}
	})
}

func TestVersionAndHealth(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		c := s.client(t, sealed.New("wrong")) // neither needs a key
		if v, err := c.Version(ctx); err != nil || v != "v0.29.3" {
			t.Errorf("version %q: %v", v, err)
		}
		wantClass(t, "health", c.Health(ctx), client.OK)
	})
}

// A server that is not trusted gets nothing, and one that is not there neither: no
// mint is Lost.
//
// REQ: LC-06
func TestNotReached(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		key := s.apiKey(t)
		stranger := s
		stranger.ca = nil // the system's roots
		_, err := stranger.client(t, key).Nodes(ctx)
		wantClass(t, "not trusted", err, client.TLS)
		_, _, err = stranger.client(t, key).CreateKey(ctx, mint.New([]string{"tag:gateway"}, time.Now()))
		wantClass(t, "not trusted: mint", err, client.TLS)

		c := s.client(t, key)
		if _, err := c.Nodes(ctx); err != nil {
			t.Fatal(err)
		}
		s.stop()
		_, err = c.Nodes(ctx)
		wantClass(t, "stopped", err, client.Unreachable)
		_, _, err = c.CreateKey(ctx, mint.New([]string{"tag:gateway"}, time.Now()))
		wantClass(t, "stopped: mint", err, client.Unreachable)
		gone, err := c.Gone(ctx, unknown)
		if wantClass(t, "stopped: gone", err, client.Unreachable); gone {
			t.Error("gone, says nobody")
		}
	})
}
