package dns

import (
	"slices"
	"strings"
)

// Types are the types that every name is asked for: what a gateway has, what
// clients ask for beside it, and what touches the way to the answer.
var Types = []string{"A", "AAAA", "TXT", "MX", "SRV", "HTTPS", "SVCB", "NS", "SOA", "CNAME", "DS", "PTR", "HINFO", "CAA", "ANY", HelperType}

// Names returns the names to ask the oracle's zone for, in presentation format:
// every name that exists, and around each one what could be taken for it. It
// returns them as a client may write them, so that case is mixed in some.
func (o *Oracle) Names() []string {
	var names []string
	add := func(n name, ok bool) {
		if ok {
			names = append(names, n.String())
		}
	}
	for _, n := range o.sorted() {
		add(n, true)
		names = append(names, mixed(n.String()))
		for _, label := range []string{"zz", "*", "0", "_tcp", "zz." + n.first(), "\x00\xff @"} {
			add(n.child(label)) // beneath
			if n != o.apex {
				add(n.parent().child(label)) // beside
			}
		}
		if unknown, ok := n.child("zz"); ok {
			add(unknown.child("*"))
			add(unknown.child("yy"))
		}
		add(longest(n), true)
	}
	// One label off the zone: above it, beside it, its name as a label's end.
	above := o.apex.parent()
	add(above, true)
	add(above.child("zz"))
	add(above.child("x" + o.apex.first()))
	add(mustName("."), true)
	add(mustName("www.foreign.test"), true)
	slices.Sort(names)
	return slices.Compact(names)
}

// longest returns a name beneath n that fills what the wire allows, or n.
func longest(n name) name {
	for {
		room := min(wireSize-len(n)-1, maxLabel)
		if room < 1 {
			return n
		}
		n, _ = n.child(strings.Repeat("q", room))
	}
}

// mixed returns the name in mixed case, as resolvers do that make a question hard
// to guess by it.
func mixed(s string) string {
	b := []byte(s)
	for i, c := range b {
		if i%2 == 0 && 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}
