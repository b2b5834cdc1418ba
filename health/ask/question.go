package ask

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/zone"
)

// Question is a question, and what the zone data say to it.
type Question struct {
	Name string // absolute, with its final dot
	Type uint16 // dns.TypeA or dns.TypeAAAA
	Want Answer
}

// Answer is what counts of an answer.
type Answer struct {
	Rcode     int
	Addresses []netip.Addr // sorted
}

// String is the answer in words.
func (a Answer) String() string {
	switch {
	case a.Rcode != dns.RcodeSuccess:
		return dns.RcodeToString[a.Rcode]
	case len(a.Addresses) == 0:
		return "no address"
	}
	words := make([]string, len(a.Addresses))
	for i, address := range a.Addresses {
		words[i] = address.String()
	}
	return strings.Join(words, " ")
}

// nobody is a label that stands for names that do not exist.
const nobody = "tsunaro-asks-for-nobody"

// Questions are those about the names of zone data: both families of each name, of a
// name that a wildcard makes up, and of one that does not exist. With a sample of n
// > 0 no more than n names are asked for, spread evenly, the apex always; the same
// data give the same questions.
func Questions(apex model.Name, data zone.Data, n int) []Question {
	sets := sample(slices.Concat(data.Primary, data.Extra), n)
	var out []Question
	for _, s := range sets {
		out = append(out, both(string(s.Name), dns.RcodeSuccess, s.Addresses)...)
		if made, ok := madeUp(s.Name, data.Primary); ok {
			out = append(out, both(made, dns.RcodeSuccess, s.Addresses)...)
		}
	}
	absent := nobody + "." + string(apex)
	if !exists(model.Name(absent), data.Primary) && !exists("*."+apex, data.Primary) {
		out = append(out, both(absent, dns.RcodeNameError, nil)...)
	}
	return out
}

// sample is at most n of the sets, the first among them.
func sample(sets []zone.Set, n int) []zone.Set {
	if n <= 0 || n >= len(sets) {
		return sets
	}
	out := make([]zone.Set, n)
	for i := range out {
		out[i] = sets[i*len(sets)/n]
	}
	return out
}

func both(name string, rcode int, addresses []netip.Addr) []Question {
	family := func(is func(netip.Addr) bool) []netip.Addr {
		var out []netip.Addr
		for _, a := range addresses {
			if is(a) {
				out = append(out, a)
			}
		}
		slices.SortFunc(out, netip.Addr.Compare)
		return out
	}
	name = dns.Fqdn(name)
	return []Question{
		{name, dns.TypeA, Answer{rcode, family(netip.Addr.Is4)}},
		{name, dns.TypeAAAA, Answer{rcode, family(netip.Addr.Is6)}},
	}
}

// madeUp is a name that a wildcard answers for (RFC 4592); ok is false for other
// names. Its closest encloser is the wildcard's parent, which exists.
func madeUp(wildcard model.Name, sets []zone.Set) (string, bool) {
	parent, ok := strings.CutPrefix(string(wildcard), "*.")
	name := nobody + "." + parent
	return name, ok && !exists(model.Name(name), sets)
}

// exists reports whether a name, or one beneath it, is among the sets.
func exists(name model.Name, sets []zone.Set) bool {
	return slices.ContainsFunc(sets, func(s zone.Set) bool { return s.Name.In(name) })
}
