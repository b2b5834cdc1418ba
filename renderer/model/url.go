package model

import (
	"net/netip"
	"strconv"
	"strings"
)

const maxPort = 65535

// ControlURL is what is known of a checked URL.
type ControlURL struct {
	Text     string
	HTTPS    bool
	Loopback bool // the host is localhost or a loopback address
}

// ParseURL accepts http(s)://host[:port][/path] in the one spelling that is safe
// as a word of a command line: lower-case scheme and host, no user, query,
// fragment or escape.
func ParseURL(s string) (ControlURL, bool) {
	u := ControlURL{Text: s}
	rest, https := strings.CutPrefix(s, "https://")
	if !https {
		var http bool
		if rest, http = strings.CutPrefix(s, "http://"); !http {
			return u, false
		}
	}
	u.HTTPS = https
	host, path, _ := strings.Cut(rest, "/")
	for i := range len(path) {
		if c := path[i]; classOf(c) == 0 && c != '~' && c != '/' {
			return u, false
		}
	}
	if strings.HasPrefix(host, "[") {
		end := strings.IndexByte(host, ']')
		if end < 0 {
			return u, false
		}
		a, err := netip.ParseAddr(host[1:end])
		u.Loopback = a.IsLoopback()
		return u, err == nil && a.Is6() && a.String() == host[1:end] && a.Zone() == "" && !a.Is4In6() && port(host[end+1:])
	}
	name := host
	if i := strings.IndexByte(host, ':'); i >= 0 {
		name = host[:i]
		if !port(host[i:]) {
			return u, false
		}
	}
	if a, ok := ParseIPv4(name); ok {
		u.Loopback = a.IsLoopback()
		return u, true
	}
	u.Loopback = name == "localhost"
	return u, hostName(name)
}

// port accepts the empty string or ":" and a port without leading zeros.
func port(s string) bool {
	if s == "" {
		return true
	}
	n, err := strconv.Atoi(s[1:])
	return s[0] == ':' && err == nil && n >= 1 && n <= maxPort && strconv.Itoa(n) == s[1:]
}

// hostName accepts a DNS name that cannot be mistaken for an address.
func hostName(s string) bool {
	if len(s) > MaxName || numeric(s) {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !DNS1123(label, MaxLabel) {
			return false
		}
	}
	return true
}

// numeric reports whether s consists of digits and dots: a misspelt address
// rather than a name.
func numeric(s string) bool { return all(s, digit|dot) }

// ParseTarget accepts a literal IPv4 target or a DNS name; a is the zero Addr
// for a name, which is not resolved (RN-07).
func ParseTarget(s string) (a netip.Addr, ok bool) {
	if numeric(s) || strings.ContainsRune(s, ':') {
		a, ok = ParseIPv4(s)
		return a, ok && Unicast(a)
	}
	_, ok = ParseName(s)
	return netip.Addr{}, ok
}
