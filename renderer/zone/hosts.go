package zone

import (
	"net/netip"
	"strings"

	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// Bounds of a hosts source (DN-06).
const (
	MaxHostsBytes = 1 << 20
	MaxHostsNames = 16384
)

// Problem is a rule broken by the hosts source; Line counts from 1, and is 0 for
// the source as a whole.
type Problem struct {
	Rule rules.ID
	Line int
}

const byteOrderMark = "\ufeff"

// entry is one name with one address.
type entry struct {
	name model.Name
	addr netip.Addr
}

// hostsReader collects what a hosts source says about the names of some zones.
type hostsReader struct {
	zone    model.Name
	extra   []model.ExtraZone
	primary []entry // names in zone
	foreign []entry // names in extra
}

// read reads a hosts source. A line concerns the gateway if it has a single
// field, or if any of its fields is a name in one of the zones; such a line must
// be right, and all others are ignored (DN-13).
func (r *hostsReader) read(text string) []Problem {
	if len(text) > MaxHostsBytes {
		return []Problem{{rules.HostsSize, 0}}
	}
	r.primary = make([]entry, 0, min(strings.Count(text, "\n")+1, MaxHostsNames))
	var problems []Problem
	number := 0
	for line, rest, more := "", strings.TrimPrefix(text, byteOrderMark), true; more; {
		number++
		line, rest, more = strings.Cut(rest, "\n")
		if i := strings.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		if id := r.line(line); id != "" {
			problems = append(problems, Problem{id, number})
		}
	}
	return problems
}

// line adds the names of one line, or returns the rule that it breaks.
func (r *hostsReader) line(line string) rules.ID {
	first, rest := field(line)
	if first == "" {
		return ""
	}
	name, rest := field(rest)
	if name == "" {
		return rules.HostsLine
	}
	addr, addrOK := model.ParseUnicast(lower(first))
	if _, entries := r.ours(first); entries != nil && !addrOK {
		return rules.HostsAddress
	}
	concerns, second := false, false
	for ; name != ""; name, rest = field(rest) {
		folded, entries := r.ours(name)
		if entries == nil {
			_, err := netip.ParseAddr(name)
			second = second || err == nil
			continue
		}
		concerns = true
		n, ok := model.ParseName(folded)
		switch {
		case !addrOK:
			return rules.HostsAddress
		case !ok || strings.HasSuffix(name, ".."):
			return rules.HostsName
		case n == r.zone:
			return rules.HostsApex
		}
		*entries = append(*entries, entry{n, addr})
	}
	if concerns && second {
		return rules.HostsLine // two lines in one, for lack of a line feed
	}
	return ""
}

// ours returns a name in lower case without final dots, of which it may have one,
// and where its addresses belong: nil if it lies in none of the zones.
func (r *hostsReader) ours(name string) (folded string, entries *[]entry) {
	folded = lower(strings.TrimRight(name, "."))
	if model.Name(folded).In(r.zone) {
		return folded, &r.primary
	}
	for _, e := range r.extra {
		if model.Name(folded).In(e.Zone) {
			return folded, &r.foreign
		}
	}
	return folded, nil
}

// field cuts the first field off a line; it is empty at the end of the line.
func field(line string) (field, rest string) {
	i := 0
	for i < len(line) && space(line[i]) {
		i++
	}
	line = line[i:]
	for i = 0; i < len(line) && !space(line[i]); i++ {
	}
	return line[:i], line[i:]
}

// space is ASCII white space: whatever else looks like it is part of a name, and
// no name holds it.
func space(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// lower knows ASCII letters only, as DNS does. To strings.ToLower the Kelvin sign
// is a K, and a name that nobody can ask for would become another.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
