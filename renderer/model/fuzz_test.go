package model

import (
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/distribution/reference"
)

// FuzzPrefix holds ParsePrefix against the standard library's older parser: what
// is accepted is IPv4, says the same there, and has no other spelling.
//
// REQ: CF-05
func FuzzPrefix(f *testing.F) {
	for _, s := range []string{"10.0.0.0/8", "192.168.10.7/24", "010.0.0.0/8", "::/0", "::ffff:10.0.0.0/104", "10.0.0.0/33", "10.0.0.0/08", "0.0.0.0/0", "1.2.3.4", "10.0.0.0/8 ", "fe80::%a/64"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, hint, v6, ok := ParsePrefix(s)
		if hint != "" {
			if q, _, _, good := ParsePrefix(hint); !good || ok || !q.Contains(p.Addr()) {
				t.Errorf("%q: the hint %q is no canonical spelling", s, hint)
			}
		}
		if v6 && ok {
			t.Errorf("%q is accepted as IPv6", s)
		}
		if !ok {
			return
		}
		ip, network, err := net.ParseCIDR(s)
		if err != nil || ip.To4() == nil || !ip.Equal(network.IP) || network.String() != s || p.String() != s {
			t.Errorf("%q: accepted as %v, net says %v %v %v", s, p, ip, network, err)
		}
		if Routable(p) != routableByOctets(network) {
			t.Errorf("%q: Routable is %v", s, Routable(p))
		}
	})
}

// routableByOctets goes by the first and the last address of the prefix: none of
// the refused ranges is smaller than what lies between those of any /8.
func routableByOctets(n *net.IPNet) bool {
	first, last := n.IP.To4()[0], n.IP.To4()[0]|^n.Mask[0]
	refused := func(low, high byte) bool { return first <= high && last >= low }
	return !refused(0, 0) && !refused(127, 127) && !refused(224, 239)
}

var threeNumbers = regexp.MustCompile(`^v?\d+\.\d+\.\d+`)

// FuzzImage holds ParseImage against the container world's own parser: what is
// accepted is a reference there, and pinned.
//
// REQ: CF-03
func FuzzImage(f *testing.F) {
	digest := "@sha256:" + strings.Repeat("0a", 32)
	for _, s := range []string{"a:1.2.3", "ghcr.io/tailscale/tailscale:v1.102.4", "localhost:5000/a/b:1.8.0.3-r2", "a" + digest, "a:latest" + digest, "a:latest", "a:1", "a", "a:v1.2", "A:1.2.3", "a/:1.2.3", "a:1.2.3@sha256:00", "a__b/c-d.e:1.2.3", "[::1]:5000/a:1.2.3", "a..b/c:1.2.3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		image, ok := ParseImage(s)
		if !ok {
			return
		}
		ref, err := reference.ParseNormalizedNamed(s)
		if err != nil || string(image) != s {
			t.Fatalf("%q is accepted, and is no reference: %v", s, err)
		}
		_, digested := ref.(reference.Digested)
		tagged, hasTag := ref.(reference.Tagged)
		if !digested && (!hasTag || !threeNumbers.MatchString(tagged.Tag())) {
			t.Errorf("%q is accepted, and not pinned", s)
		}
	})
}
