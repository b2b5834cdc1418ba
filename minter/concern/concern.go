package concern

import (
	"strings"

	"tsunaro.io/gateway/renderer/zone"
)

// Change is what differs between two texts of a hosts source. The zero Change
// concerns nobody.
type Change struct {
	everybody bool
	domains   map[string]struct{} // the names on changed lines, and all domains above them
}

// maxName is how long a field of a line may be to be looked into: a longer one is
// no name, and refuses whatever zone it lies in.
const maxName = 253

// Between compares two texts of a hosts source line by line, as sets: neither the
// order of lines nor a comment makes a difference to a zone (DN-13).
func Between(before, after string) Change {
	if len(before) > zone.MaxHostsBytes || len(after) > zone.MaxHostsBytes {
		return Change{everybody: before != after}
	}
	c := Change{domains: map[string]struct{}{}}
	before, after = middles(strings.TrimPrefix(before, mark), strings.TrimPrefix(after, mark))
	was, is := lines(before), lines(after)
	for line := range was {
		if _, stays := is[line]; !stays {
			c.add(line)
		}
	}
	for line := range is {
		if _, stayed := was[line]; !stayed {
			c.add(line)
		}
	}
	return c
}

// mark is the byte order mark that a hosts source may begin with.
const mark = "\ufeff"

// middles cuts the lines off that two texts begin and end with alike.
func middles(a, b string) (string, string) {
	n, whole := 0, min(len(a), len(b))
	for n < whole && a[n] == b[n] {
		n++
	}
	n = strings.LastIndexByte(a[:n], '\n') + 1
	a, b = a[n:], b[n:]
	n, whole = 0, min(len(a), len(b))
	for n < whole && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	i := strings.IndexByte(a[len(a)-n:], '\n')
	if i < 0 {
		return a, b
	}
	return a[:len(a)-n+i], b[:len(b)-n+i]
}

func lines(text string) map[string]struct{} {
	all := make(map[string]struct{}, strings.Count(text, "\n")+1)
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		all[line] = struct{}{}
	}
	return all
}

// add notes whom a line may concern: a single field refuses every zone, and any
// field of a longer line may be a name (DN-13).
func (c *Change) add(line string) {
	fields := strings.FieldsFunc(line, space)
	if len(fields) == 1 {
		c.everybody = true
	}
	for _, f := range fields {
		if len(f) > maxName {
			c.everybody = true
			continue
		}
		for name := canonical(f); ; {
			c.domains[name] = struct{}{}
			_, above, ok := strings.Cut(name, ".")
			if !ok {
				break
			}
			name = above
		}
	}
}

// Concerns reports whether one of a gateway's zones may have changed: its primary
// zone and its extra zones are given.
func (c Change) Concerns(zones ...string) bool {
	if c.everybody {
		return true
	}
	for _, z := range zones {
		if _, ok := c.domains[canonical(z)]; ok {
			return true
		}
	}
	return false
}

// space and canonical read a line as package zone does.
func space(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }

func canonical(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, strings.TrimRight(name, "."))
}
