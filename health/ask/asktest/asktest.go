// Package asktest is DNS servers for tests, on the loopback interface: they answer as
// a zone's file says, but for what a test changes.
package asktest

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// Change changes an answer before it is sent; one that is not to be sent is false.
type Change func(w dns.ResponseWriter, m *dns.Msg) bool

// Serve starts a server over UDP and TCP and returns its address with the port. zone
// is a zone's file with absolute names; of other names, more lists records.
func Serve(t testing.TB, zone string, change Change, more ...string) string {
	t.Helper()
	records := map[string][]dns.RR{}
	parser := dns.NewZoneParser(strings.NewReader(zone+strings.Join(more, "\n")+"\n"), "", "")
	for rr, ok := parser.Next(); ok; rr, ok = parser.Next() {
		records[rr.Header().Name] = append(records[rr.Header().Name], rr)
	}
	if err := parser.Err(); err != nil {
		t.Fatal(err)
	}
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, r *dns.Msg) {
		m := answer(records, r)
		if change == nil || change(w, m) {
			_ = w.WriteMsg(m) // who has gone away does not matter
		}
	})
	packets, listener := listen(t)
	for _, s := range []*dns.Server{{PacketConn: packets, Handler: handler}, {Listener: listener, Handler: handler}} {
		ready := make(chan struct{})
		s.NotifyStartedFunc = func() { close(ready) }
		go func() { _ = s.ActivateAndServe() }() // ends with Shutdown
		<-ready
		t.Cleanup(func() { _ = s.Shutdown() })
	}
	return packets.LocalAddr().String()
}

// listen takes a port that is free for both.
func listen(t testing.TB) (net.PacketConn, net.Listener) {
	t.Helper()
	var last error
	for range 20 {
		packets, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("tcp", packets.LocalAddr().String())
		if err == nil {
			return packets, listener
		}
		last = err
		_ = packets.Close()
	}
	t.Fatal(last)
	return nil, nil
}

// answer answers a question from the records, with wildcards right beneath which a
// name stands, and empty non-terminals.
func answer(records map[string][]dns.RR, r *dns.Msg) *dns.Msg {
	m := new(dns.Msg).SetReply(r)
	m.Authoritative = true
	name := r.Question[0].Name
	list, ok := records[name]
	if _, parent, _ := strings.Cut(name, "."); !ok {
		list, ok = records["*."+parent]
	}
	for _, record := range list {
		if record.Header().Rrtype == r.Question[0].Qtype {
			record = dns.Copy(record)
			record.Header().Name = name
			m.Answer = append(m.Answer, record)
		}
	}
	if !ok && !nonTerminal(records, name) {
		m.Rcode = dns.RcodeNameError
	}
	return m
}

func nonTerminal(records map[string][]dns.RR, name string) bool {
	var names []string
	for n := range records {
		names = append(names, n)
	}
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "."+name) })
}

// Record is a record for a Change.
func Record(t testing.TB, text string) dns.RR {
	t.Helper()
	rr, err := dns.NewRR(text)
	if err != nil {
		t.Fatal(err)
	}
	return rr
}
