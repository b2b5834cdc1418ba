package coredns

import (
	"net"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// Address is where CoreDNS answers, in the namespace of the tests.
const Address = "127.0.0.1:53"

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
	conn, err := c.client.Dial(Address)
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

// Lookup asks once, over a connection of its own, and returns the addresses of
// the answer.
func Lookup(network, name string, qtype uint16) (addresses []net.IP, reply *dns.Msg, err error) {
	c := dns.Client{Net: network, Timeout: patience}
	reply, _, err = c.Exchange(Question(name, qtype), Address)
	if err != nil {
		return nil, nil, err
	}
	for _, rr := range reply.Answer {
		switch rr := rr.(type) {
		case *dns.A:
			addresses = append(addresses, rr.A)
		case *dns.AAAA:
			addresses = append(addresses, rr.AAAA)
		}
	}
	return addresses, reply, nil
}
