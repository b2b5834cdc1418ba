package headscale_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

// serve starts a double and returns it with options of a client that has a key.
func serve(t *testing.T, o headscaledouble.Options) (*headscaledouble.Server, headscale.Options) {
	t.Helper()
	s := headscaledouble.Start(o)
	t.Cleanup(s.Close)
	return s, headscale.Options{
		URL: s.URL, CAPEM: s.CA(), Key: sealed.New(s.CreateAPIKey(time.Hour)),
		Timeout: time.Minute, Pause: time.Millisecond, Now: o.Now,
	}
}

func connect(t *testing.T, o headscale.Options) *headscale.Client {
	t.Helper()
	c, err := headscale.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func wantClass(t *testing.T, what string, err error, want headscale.Class) {
	t.Helper()
	if got := headscale.ClassOf(err); got != want {
		t.Errorf("%s: %q (%v), not %q", what, got, err, want)
	}
}

var (
	tags    = []string{"tag:gw-b", "tag:gw-a"}
	request = mint.New(tags, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC))
)

// kind is how a request may be treated.
type kind int

const (
	read  kind = iota // tried again
	write             // sent once, and may be sent again by the caller
	once              // a mint
)

// calls are all requests.
var calls = []struct {
	op   headscale.Op
	kind kind
	call func(context.Context, *headscale.Client) error
}{
	{headscale.ListNodes, read, func(ctx context.Context, c *headscale.Client) error { return second(c.Nodes(ctx)) }},
	{headscale.GetNode, read, func(ctx context.Context, c *headscale.Client) error { return second(c.Node(ctx, "4")) }},
	{headscale.DeleteNode, write, func(ctx context.Context, c *headscale.Client) error { return c.DeleteNode(ctx, "4") }},
	{headscale.ApproveRoutes, write, func(ctx context.Context, c *headscale.Client) error {
		return second(c.ApproveRoutes(ctx, "4", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}))
	}},
	{headscale.CreateKey, once, func(ctx context.Context, c *headscale.Client) error {
		_, _, err := c.CreateKey(ctx, request)
		return err
	}},
	{headscale.ExpireKey, write, func(ctx context.Context, c *headscale.Client) error { return c.ExpireKey(ctx, "7") }},
	{headscale.ListKeys, read, func(ctx context.Context, c *headscale.Client) error {
		_, _, err := c.KeyExpiration(ctx, "7")
		return err
	}},
	{headscale.CreateAPIKey, once, func(ctx context.Context, c *headscale.Client) error {
		return second(c.CreateAPIKey(ctx, request.Expiration))
	}},
	{headscale.ExpireAPIKey, write, func(ctx context.Context, c *headscale.Client) error { return c.ExpireAPIKey(ctx, "aaaaaaaaaaaa") }},
	{headscale.ListAPIKeys, read, func(ctx context.Context, c *headscale.Client) error { return second(c.APIKeys(ctx)) }},
	{headscale.GetVersion, read, func(ctx context.Context, c *headscale.Client) error { return second(c.Version(ctx)) }},
	{headscale.GetHealth, read, func(ctx context.Context, c *headscale.Client) error { return c.Health(ctx) }},
}

func second[T any](_ T, err error) error { return err }

// home is a double with the node 4 of a gateway.
func home(t *testing.T, o headscaledouble.Options) (*headscaledouble.Server, headscale.Options) {
	t.Helper()
	s, options := serve(t, o)
	s.AddNode(node.Node{ID: "4", Name: "lab-gw", Tags: tags, Online: true, Addresses: []netip.Addr{netip.MustParseAddr("100.64.0.4")}})
	return s, options
}
