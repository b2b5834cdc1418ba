package ask

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// Server is a DNS server.
type Server struct {
	Address string        // host:port
	TCP     bool          // UDP otherwise, and TCP for what is too long for it
	Timeout time.Duration // of one attempt
}

// attempts is how often a question is asked that gets no answer.
const attempts = 3

// atOnce is how many questions are asked at a time.
const atOnce = 32

// size is what an answer over UDP may be (DNS flag day 2020).
const size = 1232

// Serial asks for the SOA serial of a zone. Authoritative is false where somebody in
// between has answered. The error is for people.
func (s Server) Serial(ctx context.Context, zone string) (serial uint32, authoritative bool, err error) {
	m, err := s.exchange(ctx, dns.Fqdn(zone), dns.TypeSOA)
	if err != nil {
		return 0, false, fmt.Errorf("%s does not answer: %w", s.Address, err)
	}
	for _, rr := range m.Answer {
		if soa, ok := rr.(*dns.SOA); ok {
			return soa.Serial, m.Authoritative, nil
		}
	}
	return 0, false, fmt.Errorf("%s answers %s, and has no such zone", s.Address, dns.RcodeToString[m.Rcode])
}

// Wrong is a question that was answered otherwise than the zone data say, or not.
type Wrong struct {
	Name, Type string // the type is A or AAAA
	Want, Got  string // Answers in words
}

// All asks all questions and returns those with a wrong answer, in order. Progress is
// told how many are done. It ends early where the context does.
func (s Server) All(ctx context.Context, questions []Question, progress func(done int)) ([]Wrong, error) {
	found := make([]*Wrong, len(questions))
	var next, done atomic.Int64
	var all sync.WaitGroup
	for range min(atOnce, len(questions)) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(questions)) {
					return
				}
				found[i] = s.check(ctx, questions[i])
				progress(int(done.Add(1)))
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var wrong []Wrong
	for _, w := range found {
		if w != nil {
			wrong = append(wrong, *w)
		}
	}
	return wrong, nil
}

func (s Server) check(ctx context.Context, q Question) *Wrong {
	wrong := &Wrong{strings.TrimSuffix(q.Name, "."), dns.TypeToString[q.Type], q.Want.String(), ""}
	m, err := s.exchange(ctx, q.Name, q.Type)
	if err != nil {
		wrong.Got = "no answer"
		return wrong
	}
	if wrong.Got = answerOf(m, q.Type).String(); wrong.Got == wrong.Want {
		return nil
	}
	return wrong
}

// answerOf is what counts of a message.
func answerOf(m *dns.Msg, kind uint16) Answer {
	a := Answer{Rcode: m.Rcode}
	for _, rr := range m.Answer {
		var ip []byte
		switch rr := rr.(type) {
		case *dns.A:
			ip = rr.A.To4()
		case *dns.AAAA:
			ip = rr.AAAA.To16()
		}
		if address, ok := netip.AddrFromSlice(ip); ok && rr.Header().Rrtype == kind {
			a.Addresses = append(a.Addresses, address)
		}
	}
	slices.SortFunc(a.Addresses, netip.Addr.Compare)
	return a
}

// exchange asks until there is an answer that is whole.
func (s Server) exchange(ctx context.Context, name string, kind uint16) (m *dns.Msg, err error) {
	question := new(dns.Msg).SetQuestion(name, kind).SetEdns0(size, false)
	question.RecursionDesired = false
	tcp := s.TCP
	for range attempts {
		client := &dns.Client{Net: "udp", Timeout: s.Timeout}
		if tcp {
			client.Net = "tcp"
		}
		m, _, err = client.ExchangeContext(ctx, question, s.Address)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && m.Truncated && !tcp:
			tcp, err = true, errors.New("the answer is too long for UDP, and TCP gives none")
		case err == nil:
			return m, nil
		}
	}
	return nil, err
}
