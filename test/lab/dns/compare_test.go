//go:build lab && linux

package dns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"

	oracle "tsunaro.io/gateway/test/dns"
)

// helper is the type of the product's records at empty parents.
const helper = 65280

// qtype is the number of a type that the oracle names.
func qtype(name string) uint16 {
	if name == oracle.HelperType {
		return helper
	}
	t, ok := dns.StringToType[name]
	if !ok {
		panic("no type " + name)
	}
	return t
}

// differences tells where a reply is not the answer wanted, everything in the
// message included.
func differences(question, reply *dns.Msg, want oracle.Answer) []string {
	var all []string
	differ := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			all = append(all, fmt.Sprintf("%s: got %v, want %v", what, got, want))
		}
	}
	differ("rcode", dns.RcodeToString[reply.Rcode], want.Rcode)
	differ("question", reply.Question, question.Question)
	differ("opcode", reply.Opcode, question.Opcode)
	differ("aa", reply.Authoritative, want.Authoritative)
	differ("rd", reply.RecursionDesired, question.RecursionDesired)
	differ("qr, tc, ra, z, ad, cd", []bool{reply.Response, reply.Truncated, reply.RecursionAvailable, reply.Zero, reply.AuthenticatedData, reply.CheckingDisabled},
		[]bool{true, false, false, false, false, false})
	differ("EDNS", reply.IsEdns0() != nil, question.IsEdns0() != nil)
	if want.Empty && question.Question[0].Qtype == helper && len(reply.Answer) > 0 {
		// The product's own record, in place of the negative answer.
		return append(all, helperDifferences(reply)...)
	}
	differ("answer", lines(reply.Answer), want.Answer)
	differ("authority", lines(reply.Ns), want.Authority)
	differ("additional", lines(reply.Extra), want.Additional)
	return all
}

// helperDifferences tells what is wrong with a visible helper record: it is
// alone, and empty.
func helperDifferences(reply *dns.Msg) []string {
	rr, ok := reply.Answer[0].(*dns.RFC3597)
	if !ok || len(reply.Answer) != 1 || rr.Rdata != "" || rr.Hdr.Ttl != oracle.TTL || !strings.EqualFold(rr.Hdr.Name, reply.Question[0].Name) {
		return []string{fmt.Sprintf("helper record: got %v", reply.Answer)}
	}
	return nil
}

// lines are the records of a section as the oracle writes them, without the
// pseudo-record of EDNS. Owners have no case.
func lines(section []dns.RR) []string {
	list := []string{}
	for _, rr := range section {
		if rr.Header().Rrtype == dns.TypeOPT {
			continue
		}
		rr.Header().Name = strings.ToLower(rr.Header().Name)
		list = append(list, strings.ReplaceAll(rr.String(), "\t", " "))
	}
	slices.Sort(list)
	return list
}
