package zone

import (
	"slices"

	"tsunaro.io/gateway/renderer/model"
)

// CoreDNS 1.14.6 knows an empty non-terminal, a name that exists only as the
// parent of others, by looking one name ahead, and it looks for a wildcard first.
// So where RFC 4592 has a wildcard stop at such a name, CoreDNS applies it there
// and everywhere beneath (coredns/coredns#4290).
//
// It descends label by label from the apex, and the first name on the way that is
// not in its tree makes it remember the wildcard beside that name. If every empty
// parent that has a wildcard beside it is in the tree, the first missing name is
// always right below the closest encloser, and the wildcard it remembers is the
// one that RFC 4592 means. An empty parent without a wildcard beside it makes it
// remember nothing, so it needs nothing.
//
// What puts a name into the tree is any record. Ours has a private-use type
// (RFC 6895, section 3.1) and no data, so that no question that anybody asks gets
// another answer: A, TXT, ANY and the rest stay empty.
const parentRecord = `TYPE65280 \# 0`

// emptyParents returns the names that need such a record, in no order. static holds
// the only names that may be wildcards, rest all others and the apex, above which
// no parent is looked for.
func emptyParents(static, rest []Set) []Set {
	if !slices.ContainsFunc(static, func(s Set) bool { return s.Name.Wildcard() }) {
		return nil
	}
	sets := slices.Concat(static, rest)
	exists := make(map[model.Name]bool, len(sets))
	for _, s := range sets {
		exists[s.Name] = true
	}
	var out []Set
	for _, s := range sets {
		if s.Origin == Reserved {
			continue
		}
		for n := s.Name.Parent(); !exists[n]; n = n.Parent() {
			exists[n] = true
			if exists["*."+n.Parent()] {
				out = append(out, Set{Name: n, Origin: Parent})
			}
		}
	}
	return out
}
