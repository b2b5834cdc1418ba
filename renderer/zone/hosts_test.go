package zone

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/rules"
)

// layouts are ways in which people write down the same as clean (B36).
const clean = `192.0.2.20 bom.lab.example
192.0.2.21 tab.lab.example
192.0.2.21 alias.lab.example
192.0.2.22 lead.lab.example
192.0.2.23 dot.lab.example
192.0.2.24 glued.lab.example
192.0.2.25 twice.lab.example
2001:db8::26 six.lab.example
192.0.2.26 last.lab.example
`

// TestHostsLayout: cosmetic differences make no difference, to the bytes or to
// the hash (B33, B36).
//
// REQ: DN-10, DN-13
func TestHostsLayout(t *testing.T) {
	want := mustNew(t, spec("lab.example", nil), clean)
	messy := "\ufeff192.0.2.20 bom.lab.example\n" +
		"192.0.2.21\ttab.lab.example  alias.lab.example   # inline note\n" +
		"   192.0.2.22 lead.lab.example  \n" +
		"192.0.2.23 dot.lab.example.\n" +
		"192.0.2.24 glued.lab.example#note\n" +
		"# 192.0.2.99 commented.lab.example\n\n" +
		"192.0.2.25 twice.lab.example twice.lab.example\n192.0.2.25 TWICE.Lab.Example\n" +
		"2001:DB8::26 six.lab.example\n" +
		"192.0.2.26 last.lab.example"
	lines := strings.SplitAfter(clean, "\n")
	slices.Reverse(lines)
	for name, hosts := range map[string]string{
		"as people write":          messy,
		"CRLF":                     strings.ReplaceAll(messy, "\n", "\r\n"),
		"another order":            strings.Join(lines, ""),
		"form feeds and verticals": strings.ReplaceAll(clean, " ", " \v\f"),
		"with other people's":      "127.0.0.1 localhost\n::1 localhost\nfe80::1%lo0 localhost\n0.0.0.0 ads.example\nff02::1 ip6-allnodes\n255.255.255.255 broadcasthost\n010.0.0.1 octal.example\n" + clean,
	} {
		t.Run(name, func(t *testing.T) {
			got := mustNew(t, spec("lab.example", nil), hosts)
			if got.ConfigMap(1)["zone.db"] != want.ConfigMap(1)["zone.db"] || got.Hash() != want.Hash() {
				t.Errorf("got\n%s\nwant\n%s", got.ConfigMap(1)["zone.db"], want.ConfigMap(1)["zone.db"])
			}
		})
	}
}

// TestHostsLines: every line that concerns the gateway must be right (DN-13); a
// bad one refuses the whole snapshot and is named by its number.
//
// REQ: DN-04, DN-05, DN-13
func TestHostsLines(t *testing.T) {
	long := strings.Repeat("a", 63)
	fits := strings.Repeat("b", 63) + "." + strings.Repeat("b", 63) + "." + strings.Repeat("b", 63) + "." + strings.Repeat("b", 253-3*64-len(".lab.example"))
	if len(fits+".lab.example") != 253 {
		t.Fatal("the boundary is not where it should be")
	}
	for line, want := range map[string]rules.ID{
		"192.0.2.1 a.lab.example":                          "",
		"192.0.2.1 _sip._udp.lab.example":                  "",
		"192.0.2.1 xn--bcher-kva.lab.example":              "",
		"192.0.2.1 " + long + ".lab.example":               "",
		"192.0.2.1 " + long + "a.lab.example":              rules.HostsName,
		"192.0.2.1 " + fits + ".lab.example":               "",
		"192.0.2.1 b" + fits + ".lab.example":              rules.HostsName,
		"192.0.2.1 bb" + fits + ".lab.example":             rules.HostsName,
		"192.0.2.1 xlab.example":                           "",
		"192.0.2.1 bücher.lab.example":                     rules.HostsName,
		"192.0.2.1 \u212aelvin.lab.example":                rules.HostsName, // a K, but not an ASCII one
		"192.0.2.1 \u0130.lab.example":                     rules.HostsName, // lower case is an ASCII i
		"192.0.2.1 KELVIN.LAB.EXAMPLE":                     "",
		"192.0.2.1 *.lab.example":                          rules.HostsName,
		"192.0.2.1 a..lab.example":                         rules.HostsName,
		"192.0.2.1 -a.lab.example":                         rules.HostsName,
		"192.0.2.1 a-.lab.example":                         rules.HostsName,
		`192.0.2.1 a\.b.lab.example`:                       rules.HostsName,
		"192.0.2.1 a;b.lab.example":                        rules.HostsName,
		"192.0.2.1 a$b.lab.example":                        rules.HostsName,
		"192.0.2.1 @.lab.example":                          rules.HostsName,
		`192.0.2.1 "a".lab.example`:                        rules.HostsName,
		"192.0.2.1 (a.lab.example":                         rules.HostsName,
		"192.0.2.1 a.lab.example..":                        rules.HostsName,
		"192.0.2.1 lab.example":                            rules.HostsApex,
		"192.0.2.1 LAB.example.":                           rules.HostsApex,
		"192.0.2.1 other.example lab.example":              rules.HostsApex,
		"192.0.2.1":                                        rules.HostsLine,
		"192.0.2.1 a.lab.example\r192.0.2.2 b.lab.example": rules.HostsLine,
		"192.0.2.1 a.lab.example 192.0.2.2":                rules.HostsLine,
		"192.0.2.1 a.example\r192.0.2.2 b.example":         "",
		"192.0.2.1 # only a comment":                       rules.HostsLine,
		"a.lab.example":                                    rules.HostsLine,
		"192.0.2.1,a.lab.example":                          rules.HostsLine,
		"a.lab.example 192.0.2.1":                          rules.HostsAddress,
		"127.0.0.1 a.lab.example":                          rules.HostsAddress,
		"0.0.0.0 a.lab.example":                            rules.HostsAddress,
		"0.1.2.3 a.lab.example":                            rules.HostsAddress,
		"169.254.1.1 a.lab.example":                        rules.HostsAddress,
		"224.0.0.1 a.lab.example":                          rules.HostsAddress,
		"255.255.255.255 a.lab.example":                    rules.HostsAddress,
		"192.0.2.01 a.lab.example":                         rules.HostsAddress,
		"0300.0.2.1 a.lab.example":                         rules.HostsAddress,
		"::1 a.lab.example":                                rules.HostsAddress,
		":: a.lab.example":                                 rules.HostsAddress,
		"fe80::1 a.lab.example":                            rules.HostsAddress,
		"fe80::1%eth0 a.lab.example":                       rules.HostsAddress,
		"2001:db8::1%eth0 a.lab.example":                   rules.HostsAddress,
		"::ffff:192.0.2.1 a.lab.example":                   rules.HostsAddress,
		"2001:db8:0:0:0:0:0:1 a.lab.example":               rules.HostsAddress,
		"nonsense that is nobody's":                        "",
		"300.0.0.1 other.example":                          "",
	} {
		_, problems := New(spec("lab.example", nil), lb, "# one\n"+line+"\n192.0.2.9 z.lab.example\n")
		var wanted []Problem
		if want != "" {
			wanted = []Problem{{want, 2}}
		}
		if !slices.Equal(problems, wanted) {
			t.Errorf("%q: %v, want %v", line, problems, wanted)
		}
	}
}

// TestZoneAtTheLimit: a zone name of 253 characters renders, its apex being its
// own name server, and nothing fits beneath it (B38).
//
// REQ: DN-01
func TestZoneAtTheLimit(t *testing.T) {
	zone := strings.Repeat(strings.Repeat("z", 63)+".", 3) + strings.Repeat("z", 61)
	if len(zone) != 253 {
		t.Fatal(len(zone))
	}
	records, _ := parsed(t, mustNew(t, spec(zone, nil), "").ConfigMap(1)["zone.db"])
	if len(records) != 2 || records[zone+". NS"][0] != zone+"." {
		t.Errorf("records: %v", records)
	}
	if _, problems := New(spec(zone, nil), lb, fmt.Sprintf("192.0.2.1 a.%s\n", zone)); !slices.Equal(problems, []Problem{{rules.HostsName, 1}}) {
		t.Errorf("a host beneath it: %v", problems)
	}
}
