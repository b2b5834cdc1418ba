//go:build lab && linux

package dns

import (
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"

	oracle "tsunaro.io/gateway/test/dns"
	"tsunaro.io/gateway/test/lab/dns/internal/rendered"
	"tsunaro.io/gateway/test/testbed/coredns"
)

// TestCorpus asks every question of every zone over both transports: A, AAAA,
// negative types, wildcards and their closest enclosers, unknown names, foreign
// zones, names replaced by the hosts source, names at the limits of the wire.
//
// REQ: DN-01, DN-02, DN-03, DN-04, DN-12
func TestCorpus(t *testing.T) {
	var asked tally
	cases, err := oracle.Cases()
	if err != nil || len(cases) < 12 {
		t.Fatalf("%d zones (%v), want at least 12", len(cases), err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			coredns.Start(t, rendered.New(t, c.Data).Rendered)
			asked.add(compare(t, c.Data, c.Names(), oracle.Types))
		})
	}
	asked.check(t, 20000)
}

// TestRandomZones asks about data that nobody thought of, where names, parents
// and wildcards meet.
//
// REQ: DN-03, DN-12
func TestRandomZones(t *testing.T) {
	var asked tally
	for seed := range uint64(25) {
		d := oracle.Random(seed)
		g := rendered.New(t, d)
		s := coredns.Start(t, g.Rendered)
		asked.add(compare(t, d, oracle.New(d, 1).Names(), []string{"A", "AAAA", "TXT"}))
		s.Stop()
		if t.Failed() {
			t.Fatalf("with seed %d:\n%s", seed, g.Data["zone.db"])
		}
	}
	asked.check(t, 20000)
}

// tally counts questions, and the helper records seen among the answers.
type tally struct {
	mu             sync.Mutex
	asked, helpers int
}

func (c *tally) add(asked, helpers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked += asked
	c.helpers += helpers
}

func (c *tally) check(t *testing.T, least int) {
	t.Helper()
	t.Logf("%d answers compared, %d helper records among them", c.asked, c.helpers)
	if c.asked < least {
		t.Errorf("%d answers compared, want at least %d", c.asked, least)
	}
}

// compare asks for every name and type over UDP and TCP.
func compare(t *testing.T, d oracle.Data, names, types []string) (asked, helpers int) {
	t.Helper()
	o := oracle.New(d, 1)
	var total tally
	var all sync.WaitGroup
	for _, network := range coredns.Networks {
		client := coredns.Dial(t, network)
		all.Go(func() { total.add(ask(t, client, network, o, names, types)) })
	}
	all.Wait()
	return total.asked, total.helpers
}

func ask(t *testing.T, client *coredns.Client, network string, o *oracle.Oracle, names, types []string) (asked, helpers int) {
	for _, name := range names {
		for _, qt := range types {
			want := o.Ask(name, qt)
			if want.Forwarded {
				continue // there is no upstream here
			}
			question := coredns.Question(name, qtype(qt))
			// Neither recursion nor DNSSEC may make a difference.
			question.RecursionDesired = network == "tcp"
			question.IsEdns0().SetDo(network == "udp")
			reply, err := client.Exchange(question)
			if err != nil {
				t.Errorf("%s %s over %s: %v", name, qt, network, err)
				return asked, helpers
			}
			asked++
			if want.Empty && qt == oracle.HelperType && len(reply.Answer) > 0 {
				helpers++
			}
			if diff := differences(question, reply, want); len(diff) > 0 {
				t.Errorf("%s %s over %s:\n\t%s", name, qt, network, strings.Join(diff, "\n\t"))
			}
		}
	}
	return asked, helpers
}

// TestPlainZoneIsWrong is the control: without the records at empty parents,
// CoreDNS gives B34's wrong answers, and the comparison sees them. Once this
// fails, the records may go.
//
// REQ: DN-03, DN-12
func TestPlainZoneIsWrong(t *testing.T) {
	c := rendered.Case(t, "wildcards")
	g := rendered.New(t, c.Data)
	var plain []string
	for line := range strings.Lines(g.Data["zone.db"]) {
		if !strings.Contains(line, " "+oracle.HelperType+" ") {
			plain = append(plain, line)
		}
	}
	g.Data["zone.db"] = strings.Join(plain, "")
	coredns.Start(t, g.Rendered)
	client := coredns.Dial(t, "udp")
	o := oracle.New(c.Data, 1)
	var wrong []string
	for _, name := range c.Ask {
		question := coredns.Question(name, dns.TypeA)
		reply, err := client.Exchange(question)
		if err != nil {
			t.Fatal(err)
		}
		if len(differences(question, reply, o.Ask(name, "A"))) > 0 {
			wrong = append(wrong, strings.TrimSuffix(name, ".tail.example."))
		}
	}
	if got, want := strings.Join(wrong, " "), "x.flat.d c.d x.c.d x.r.c.d prod x.prod x.db.prod"; got != want || len(c.Ask) != 11 {
		t.Errorf("wrong answers of %d to %s, want those to %s", len(c.Ask), got, want)
	}
}

// TestNoTransfer asks for the zone as a whole, which nobody gets.
//
// REQ: DN-12
func TestNoTransfer(t *testing.T) {
	c := rendered.Case(t, "wildcards")
	coredns.Start(t, rendered.New(t, c.Data).Rendered)
	for _, name := range []string{"tail.example.", "d.tail.example.", "app.tail.example."} {
		for _, qtype := range []uint16{dns.TypeAXFR, dns.TypeIXFR} {
			question := new(dns.Msg).SetQuestion(name, qtype)
			reply, err := coredns.Dial(t, "tcp").Exchange(question)
			if err != nil || reply.Rcode != dns.RcodeRefused || len(reply.Answer) != 0 {
				t.Errorf("%s %s: %v, %v", name, dns.TypeToString[qtype], err, reply)
			}
		}
	}
}

// TestTruncation asks for a large set as a client without EDNS does: over UDP the
// answer says that it is not whole, over TCP it is.
//
// REQ: DN-12
func TestTruncation(t *testing.T) {
	c := rendered.Case(t, "many")
	coredns.Start(t, rendered.New(t, c.Data).Rendered)
	o := oracle.New(c.Data, 1)
	for _, qt := range []string{"A", "AAAA"} {
		question := new(dns.Msg).SetQuestion("sixty.many.example.", qtype(qt))
		short, err := coredns.Dial(t, "udp").Exchange(question)
		if err != nil || !short.Truncated || len(short.Answer) == 0 {
			t.Errorf("%s over udp: %v, %v", qt, err, short)
		}
		whole, err := coredns.Dial(t, "tcp").Exchange(question)
		if err != nil {
			t.Fatal(err)
		}
		if diff := differences(question, whole, o.Ask("sixty.many.example.", qt)); len(diff) > 0 {
			t.Errorf("%s over tcp: %s", qt, strings.Join(diff, "\n\t"))
		}
	}
}
