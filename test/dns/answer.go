package dns

import (
	"fmt"
	"slices"
	"strings"
)

// Answer is what a question must get. Records are in presentation format with
// single blanks, each section sorted.
type Answer struct {
	Rcode         string
	Authoritative bool
	Answer        []string
	Authority     []string
	Additional    []string

	// Forwarded: not the gateway but an upstream of the extra zone answers.
	Forwarded bool
	// Empty: the name exists only because names beneath it do. The product may
	// keep a record of HelperType there and nowhere else.
	Empty bool
}

// HelperType is the private-use type (RFC 6895, section 3.1) of the records that
// make CoreDNS see a name without data.
const HelperType = "TYPE65280"

// Response codes.
const (
	NoError  = "NOERROR"
	NXDomain = "NXDOMAIN"
	Refused  = "REFUSED"
)

// Ask answers a question of class IN, as RFC 1034, section 4.3.2 goes: there are
// no aliases and no zone cuts, so its steps 2 and 3c remain.
func (o *Oracle) Ask(qname, qtype string) Answer {
	n := mustName(qname)
	switch {
	case n.in(o.apex):
		return o.primary(n, qtype)
	case o.extraZone(n):
		return o.local(n, qtype)
	}
	return Answer{Rcode: Refused} // DN-03
}

// primary answers from the zone's data alone.
func (o *Oracle) primary(n name, qtype string) Answer {
	if found, ok := o.nodes[n]; ok {
		a := o.data(n, found, qtype)
		a.Empty = len(found) == 0
		return a
	}
	encloser := n.parent()
	for o.nodes[encloser] == nil {
		encloser = encloser.parent()
	}
	// RFC 4592, section 3.3.1: the source of synthesis is the asterisk label
	// right beneath the closest encloser, or there is none.
	if source, ok := encloser.child("*"); ok {
		if found, ok := o.nodes[source]; ok {
			return o.data(n, found, qtype)
		}
	}
	return Answer{Rcode: NXDomain, Authoritative: true, Authority: o.start()}
}

// data answers with the data of a name that exists or is synthesized. ANY asks
// for what no name here has: an answer that RFC 8482 leaves to the server.
func (o *Oracle) data(n name, found node, qtype string) Answer {
	a := Answer{Rcode: NoError, Authoritative: true, Answer: records(n, qtype, found[qtype])}
	switch {
	case len(a.Answer) == 0:
		a.Authority = o.start() // RFC 2308, section 2.2
	case qtype == "NS":
		// The name server's own addresses, as RFC 1034's step 6 adds them.
		a.Additional = slices.Concat(records(n, "A", found["A"]), records(n, "AAAA", found["AAAA"]))
	default:
		a.Authority = records(o.apex, "NS", o.nodes[o.apex]["NS"])
	}
	return a
}

func (o *Oracle) start() []string { return records(o.apex, "SOA", []string{o.soa}) }

// local answers in an extra zone (DN-07): addresses of known names; the rest is
// the upstreams'. There is no SOA that a negative answer could carry.
func (o *Oracle) local(n name, qtype string) Answer {
	found, ok := o.hosts[n]
	if !ok || qtype != "A" && qtype != "AAAA" {
		return Answer{Forwarded: true}
	}
	return Answer{Rcode: NoError, Authoritative: true, Answer: records(n, qtype, found[qtype])}
}

func records(owner name, qtype string, data []string) []string {
	var list []string
	for _, d := range data {
		list = append(list, fmt.Sprintf("%s %d IN %s %s", owner, TTL, qtype, d))
	}
	slices.Sort(list)
	return list
}

// String is the answer on one line, for reviewers: what every record repeats is
// left out.
func (a Answer) String() string {
	if a.Forwarded {
		return "forwarded"
	}
	words := []string{a.Rcode}
	for _, r := range a.Answer {
		_, data, _ := strings.Cut(r, " IN ")
		words = append(words, "["+data+"]")
	}
	for _, section := range []struct {
		name    string
		records []string
	}{{"authority", a.Authority}, {"additional", a.Additional}} {
		for _, r := range section.records {
			words = append(words, section.name+"="+strings.Fields(r)[3])
		}
	}
	return strings.Join(words, " ")
}
