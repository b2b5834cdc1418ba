package model

import "strings"

// Limits of DNS names and Kubernetes names, in characters.
const (
	MaxLabel     = 63
	MaxName      = 253 // a DNS name without its final dot: 255 octets on the wire
	MaxGateway   = 40
	maxSubdomain = 253
)

// Name is an absolute DNS name without its final dot, lower case, at most
// MaxName characters: labels of 1 to 63 letters, digits, '-' and '_' that neither
// begin nor end with '-'. Its first label may be the wildcard '*' only where the
// constructor says so.
type Name string

// ParseName accepts a canonical DNS name without a wildcard.
func ParseName(s string) (Name, bool) {
	if len(s) > MaxName || !dnsLabels(s) {
		return "", false
	}
	return Name(s), true
}

// ParseRecordName accepts the name of a static record: relative to the zone, or
// absolute with a final dot; '*' only as the whole first label. syntax is false
// if it is no such name, inside is false if it does not lie in the zone or is
// longer than MaxName there (DN-01).
func ParseRecordName(s string, zone Name) (n Name, syntax, inside bool) {
	abs, absolute := strings.CutSuffix(s, ".")
	rest, wild := strings.CutPrefix(abs, "*.")
	if !dnsLabels(rest) && (abs != "*" || absolute || wild) {
		return "", false, false
	}
	if !absolute {
		abs += "." + string(zone)
	}
	n = Name(abs)
	return n, true, len(abs) <= MaxName && n.In(zone)
}

// In reports whether n is zone or lies beneath it.
func (n Name) In(zone Name) bool {
	head, ok := strings.CutSuffix(string(n), string(zone))
	return ok && (head == "" || head[len(head)-1] == '.')
}

// Parent returns the name without its first label, or "" for a single label.
func (n Name) Parent() Name {
	_, parent, _ := strings.Cut(string(n), ".")
	return Name(parent)
}

// Wildcard reports whether the first label of n is '*'.
func (n Name) Wildcard() bool { return n == "*" || strings.HasPrefix(string(n), "*.") }

// Compare orders names as RFC 4034, section 6.1 does: label by label from the
// root.
func (n Name) Compare(m Name) int {
	a, b := string(n), string(m)
	for {
		i, j := strings.LastIndexByte(a, '.'), strings.LastIndexByte(b, '.')
		if c := strings.Compare(a[i+1:], b[j+1:]); c != 0 {
			return c
		}
		switch {
		case i < 0 && j < 0:
			return 0
		case i < 0:
			return -1
		case j < 0:
			return 1
		}
		a, b = a[:i], b[:j]
	}
}

func dnsLabels(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if !isLabel(label, MaxLabel, lowerDigit|underscore) {
			return false
		}
	}
	return true
}

// DNS1035 reports whether s is a DNS-1035 label of at most limit characters: it
// begins with a letter.
func DNS1035(s string, limit int) bool {
	return DNS1123(s, limit) && s[0] >= 'a'
}

// DNS1123 reports whether s is a DNS-1123 label of at most limit characters.
func DNS1123(s string, limit int) bool { return isLabel(s, limit, lowerDigit) }

// Subdomain reports whether s is a DNS-1123 subdomain.
func Subdomain(s string) bool {
	if len(s) > maxSubdomain {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !isLabel(label, maxSubdomain, lowerDigit) {
			return false
		}
	}
	return true
}

// DataKey reports whether s may be a key of a ConfigMap or Secret.
func DataKey(s string) bool {
	if s == "." || strings.HasPrefix(s, "..") || s == "" || len(s) > maxSubdomain {
		return false
	}
	return all(s, lowerDigit|upper|underscore|dash|dot)
}

// LabelKey reports whether s is a label key: an optional subdomain and '/',
// then a name.
func LabelKey(s string) bool {
	prefix, name, ok := strings.Cut(s, "/")
	if !ok {
		name = s
	} else if prefix == "" || !Subdomain(prefix) {
		return false
	}
	return name != "" && LabelValue(name)
}

// LabelValue reports whether s is a label value; the empty string is one.
func LabelValue(s string) bool {
	const ends = lowerDigit | upper
	if s == "" {
		return true
	}
	return len(s) <= MaxLabel && all(s[:1], ends) && all(s[len(s)-1:], ends) &&
		all(s, ends|underscore|dash|dot)
}

type class uint8

const (
	lower class = 1 << iota
	digit
	upper
	dash
	underscore
	dot
	lowerDigit = lower | digit
)

// classes of the characters that have one.
var classes = func() (t [256]class) {
	for c := range byte(26) {
		t['a'+c], t['A'+c] = lower, upper
	}
	for c := range byte(10) {
		t['0'+c] = digit
	}
	t['-'], t['_'], t['.'] = dash, underscore, dot
	return t
}()

func classOf(c byte) class { return classes[c] }

func all(s string, allowed class) bool {
	for i := range len(s) {
		if classOf(s[i])&allowed == 0 {
			return false
		}
	}
	return true
}

// isLabel reports whether s has 1 to limit characters of the allowed classes or
// '-', and neither begins nor ends with '-'.
func isLabel(s string, limit int, allowed class) bool {
	return s != "" && len(s) <= limit && s[0] != '-' && s[len(s)-1] != '-' && all(s, allowed|dash)
}
