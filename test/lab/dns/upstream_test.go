//go:build lab && linux

package dns

import (
	"context"
	"net"
	"sync"
	"syscall"
	"testing"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/test/testbed/coredns"
)

// upstream is the resolver of a legacy network: it knows a few records, and
// counts who is asked for what.
type upstream struct {
	mu      sync.Mutex
	records map[dns.Question][]dns.RR
	asked   map[dns.Question]int
}

// startUpstream answers on port 53 of both upstream addresses over UDP and TCP,
// beside a CoreDNS that runs as user uid.
func startUpstream(t *testing.T, uid uint32, zone ...string) *upstream {
	t.Helper()
	u := &upstream{records: map[dns.Question][]dns.RR{}, asked: map[dns.Question]int{}}
	for _, text := range zone {
		rr, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		q := dns.Question{Name: rr.Header().Name, Qtype: rr.Header().Rrtype, Qclass: dns.ClassINET}
		u.records[q] = append(u.records[q], rr)
	}
	for _, address := range []string{upstream4, upstream6} {
		u.listen(t, uid, net.JoinHostPort(address, "53"))
	}
	return u
}

func (u *upstream) listen(t *testing.T, uid uint32, address string) {
	t.Helper()
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return share(c, uid) }}
	config.SetMultipathTCP(false) // whose inner socket would stay with the user that made it
	packets, err := config.ListenPacket(context.Background(), "udp", address)
	if err != nil {
		t.Fatal(err)
	}
	streams, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []*dns.Server{{PacketConn: packets}, {Listener: streams}} {
		server.Handler = u
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		ended := make(chan error, 1)
		go func() { ended <- server.ActivateAndServe() }()
		<-started
		t.Cleanup(func() {
			if err := server.Shutdown(); err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// share lets the socket have the port beside CoreDNS' own of all addresses: the
// kernel wants both to agree and both to be of one user.
func share(c syscall.RawConn, uid uint32) error {
	const soReusePort = 15 // asm-generic/socket.h
	var err error
	if e := c.Control(func(fd uintptr) {
		if err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, soReusePort, 1); err == nil {
			err = syscall.Fchown(int(fd), int(uid), -1)
		}
	}); e != nil {
		return e
	}
	return err
}

// ServeDNS implements dns.Handler.
func (u *upstream) ServeDNS(w dns.ResponseWriter, question *dns.Msg) {
	q := question.Question[0]
	u.mu.Lock()
	u.asked[q]++
	answer := u.records[q]
	u.mu.Unlock()
	reply := new(dns.Msg).SetReply(question)
	reply.RecursionAvailable = true
	reply.Answer = answer
	if answer == nil {
		reply.Rcode = dns.RcodeNameError
	}
	// A client that is gone is none of the server's business.
	_ = w.WriteMsg(reply)
}

// count returns how often the upstream was asked for a name and type.
func (u *upstream) count(name string, qtype uint16) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.asked[dns.Question{Name: name, Qtype: qtype, Qclass: dns.ClassINET}]
}

// question is a line of a table about who answers what.
type question struct {
	name, qtype string
	rcode       string
	answer      string // its data; "" for none
	forwarded   bool
}

// checkAll asks over both transports and compares rcode, data, and whether the
// upstream came to see the question.
func (u *upstream) checkAll(t *testing.T, questions []question) {
	t.Helper()
	for _, network := range coredns.Networks {
		client := coredns.Dial(t, network)
		for _, q := range questions {
			reply, err := client.Ask(q.name, qtype(q.qtype))
			if err != nil {
				t.Fatalf("%s %s over %s: %v", q.name, q.qtype, network, err)
			}
			answer := ""
			for _, rr := range reply.Answer {
				answer += rr.String()[len(rr.Header().String()):]
			}
			if got := dns.RcodeToString[reply.Rcode]; got != q.rcode || answer != q.answer {
				t.Errorf("%s %s over %s: %s %q, want %s %q", q.name, q.qtype, network, got, answer, q.rcode, q.answer)
			}
			if asked := u.count(q.name, qtype(q.qtype)); asked > 0 != q.forwarded {
				t.Errorf("%s %s over %s: the upstream was asked %d times", q.name, q.qtype, network, asked)
			}
		}
	}
}
