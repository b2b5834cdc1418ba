package dns

import (
	"fmt"
	"strings"
)

// name is an absolute domain name in wire form, lower case: what is equal is the
// same name, and cutting off the first label gives the parent.
type name string

const root name = "\x00"

// Limits of the wire format, in octets (RFC 1035, section 2.3.4).
const (
	wireSize = 255
	maxLabel = 63
)

// parseName reads presentation format (RFC 1035, section 5.1), with or without a
// final dot. ok is false for what has no wire form.
func parseName(s string) (n name, ok bool) {
	if s == "." {
		return root, true
	}
	var wire, label strings.Builder
	end := func() bool {
		if label.Len() == 0 || label.Len() > maxLabel {
			return false
		}
		wire.WriteByte(byte(label.Len()))
		wire.WriteString(label.String())
		label.Reset()
		return true
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '.':
			if !end() {
				return "", false
			}
			continue
		case c == '\\' && i+3 < len(s) && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]):
			c = (s[i+1]-'0')*100 + (s[i+2]-'0')*10 + s[i+3] - '0'
			i += 3
		case c == '\\' && i+1 < len(s):
			i++
			c = s[i]
		}
		label.WriteByte(lower(c))
	}
	if label.Len() > 0 && !end() {
		return "", false
	}
	n = name(wire.String()) + root
	return n, n != root && len(n) <= wireSize
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// mustName is for names that the test data gives.
func mustName(s string) name {
	n, ok := parseName(s)
	if !ok {
		panic("not a domain name: " + s)
	}
	return n
}

// String is presentation format with a final dot, escaped as resolvers print it.
func (n name) String() string {
	if n == root {
		return "."
	}
	var s strings.Builder
	for ; n != root; n = n.parent() {
		for _, c := range []byte(n.first()) {
			switch {
			case strings.IndexByte(`."\();@ `, c) >= 0:
				s.WriteByte('\\')
				s.WriteByte(c)
			case c < ' ' || c > '~':
				fmt.Fprintf(&s, `\%03d`, c)
			default:
				s.WriteByte(c)
			}
		}
		s.WriteByte('.')
	}
	return s.String()
}

// first returns the first label; the root has none.
func (n name) first() string { return string(n[1 : 1+n[0]]) }

// parent cuts off the first label of a name that is not the root.
func (n name) parent() name { return n[1+n[0]:] }

// child puts a label in front. ok is false where either has no room for it.
func (n name) child(label string) (c name, ok bool) {
	c = name([]byte{byte(len(label))}) + name(label) + n
	return c, len(label) <= maxLabel && len(c) <= wireSize
}

// in reports whether n is zone or beneath it.
func (n name) in(zone name) bool {
	for ; ; n = n.parent() {
		if n == zone {
			return true
		}
		if n == root {
			return false
		}
	}
}
