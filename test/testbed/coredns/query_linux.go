package coredns

import (
	"testing"
	"time"

	"github.com/miekg/dns"
)

// address is where CoreDNS answers, in the namespace of the tests.
const address = "127.0.0.1:53"

// Networks are the transports that everything is asked over.
var Networks = []string{"udp", "tcp"}

// patience is how long an answer may take. It is long: a test that finds an
// answer missing must not have been in a hurry.
const patience = 5 * time.Second

// Client asks over one connection, one question at a time.
type Client struct {
	client dns.Client
	conn   *dns.Conn
}

// Dial returns a client for "udp" or "tcp" that the end of the test closes.
func Dial(t testing.TB, network string) *Client {
	t.Helper()
	c := &Client{client: dns.Client{Net: network, Timeout: patience}}
	conn, err := c.client.Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	c.conn = conn
	t.Cleanup(func() {
		// The server may have closed an idle connection first.
		_ = c.conn.Close()
	})
	return c
}

// Redial gives the client a new connection.
func (c *Client) Redial() error {
	// What matters is the new one.
	_ = c.conn.Close()
	conn, err := c.client.Dial(address)
	if err == nil {
		c.conn = conn
	}
	return err
}

// Exchange sends the message as it is.
func (c *Client) Exchange(m *dns.Msg) (*dns.Msg, error) {
	reply, _, err := c.client.ExchangeWithConn(m, c.conn)
	return reply, err
}

// Ask asks for a name, with its final dot, and a type of class IN.
func (c *Client) Ask(name string, qtype uint16) (*dns.Msg, error) {
	return c.Exchange(Question(name, qtype))
}

// Question is a query as today's resolvers send it: EDNS with room for what fits
// into an Ethernet frame.
func Question(name string, qtype uint16) *dns.Msg {
	m := new(dns.Msg).SetQuestion(name, qtype)
	m.RecursionDesired = false
	return m.SetEdns0(1232, false)
}

// Within repeats a condition until it holds, and returns after how long it did.
// The test fails if that is not within the limit.
func Within(t testing.TB, limit time.Duration, what string, holds func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Since(start) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
		<-tick.C
	}
	return time.Since(start)
}

// Address asks and returns what Answer makes of the reply.
func (c *Client) Address(t testing.TB, name string, qtype uint16) string {
	t.Helper()
	reply, err := c.Ask(name, qtype)
	if err != nil {
		t.Fatal(err)
	}
	return Answer(reply)
}

// Answer is a reply's only address, or the response code where it has none or
// several.
func Answer(reply *dns.Msg) string {
	if len(reply.Answer) == 1 {
		switch rr := reply.Answer[0].(type) {
		case *dns.A:
			return rr.A.String()
		case *dns.AAAA:
			return rr.AAAA.String()
		}
	}
	return dns.RcodeToString[reply.Rcode]
}
