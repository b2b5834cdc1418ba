package zone

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode"

	"tsunaro.io/gateway/renderer/model"
)

// FuzzHosts holds the hosts parser against a slow reading of its one rule, and
// what it accepts against the field's own zone parser.
//
// REQ: DN-01, DN-13
func FuzzHosts(f *testing.F) {
	f.Add(clean)
	f.Add("\ufeff192.0.2.1\ta.lab.example # x\r\n")
	f.Add("192.0.2.1 A.CORP.example.\n::1 lab.example\n")
	f.Add("192.0.2.1 _a.xn--b.lab.example\n192.0.2.1 *.lab.example\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, problems := New(spec("lab.example", nil, "corp.example"), lb, text)
		want, refused := readSlowly(text)
		if refused != (len(problems) > 0) {
			t.Fatalf("refused: %v, want %v", problems, refused)
		}
		if refused {
			return
		}
		want["lab.example. NS"] = []string{"lab.example."}
		want["lab.example. A"] = []string{lb.String()}
		data := d.ConfigMap(3)
		got, serial := parsed(t, data["zone.db"])
		for line := range strings.Lines(data["hosts"]) {
			fields := strings.Fields(line)
			key := fields[1] + ". " + kind(netip.MustParseAddr(fields[0]))
			got[key] = append(got[key], fields[0])
		}
		if serial != 3 || !maps.EqualFunc(got, want, sameSet) {
			t.Errorf("got %v\nwant %v", got, want)
		}
		if r, err := ReadRevision(Revision{3, d.Hash()}.Annotations(), data); err != nil || r.Serial != 3 {
			t.Errorf("its own revision is refused: %v", err)
		}
	})
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func kind(a netip.Addr) string {
	if a.Is4() {
		return "A"
	}
	return "AAAA"
}

// readSlowly reads a hosts source by the letter of DN-13.
func readSlowly(text string) (records map[string][]string, refused bool) {
	records = map[string][]string{}
	text = strings.TrimPrefix(text, "\xef\xbb\xbf")
	if len(text) > 1<<20 {
		return nil, true
	}
	inZone := func(s string) bool {
		s = asciiLower(strings.TrimRight(s, "."))
		for _, z := range []string{"lab.example", "corp.example"} {
			if s == z || strings.HasSuffix(s, "."+z) {
				return true
			}
		}
		return false
	}
	for _, line := range strings.Split(text, "\n") {
		if i := strings.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		fields := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\n\v\f\r", c) })
		if len(fields) == 0 || len(fields) > 1 && !slices.ContainsFunc(fields, inZone) {
			continue
		}
		addr, err := netip.ParseAddr(strings.ToLower(fields[0]))
		if err != nil || len(fields) == 1 || !model.Unicast(addr) || addr.String() != strings.ToLower(fields[0]) {
			return nil, true
		}
		for _, f := range fields[1:] {
			if !inZone(f) {
				if _, err := netip.ParseAddr(f); err == nil && len(fields) > 1 {
					return nil, true
				}
				continue
			}
			name := asciiLower(strings.TrimSuffix(f, "."))
			if name == "lab.example" || !wellFormed(name) {
				return nil, true
			}
			key := name + ". " + kind(addr)
			records[key] = append(records[key], addr.String())
		}
	}
	return records, false
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return r
		}
		return unicode.ToLower(r)
	}, s)
}

func wellFormed(name string) bool {
	if len(name) > 253 {
		return false
	}
	for _, label := range strings.Split(name, ".") {
		if len(label) < 1 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range []byte(label) {
			if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", rune(c)) {
				return false
			}
		}
	}
	return true
}

// FuzzZone renders arbitrary record names and reads the zone back: a name is
// refused, or it is in the zone as it was written and nothing else is.
//
// REQ: DN-01
func FuzzZone(f *testing.F) {
	for _, s := range []string{"a", "*", "*.a", "a.b.c", "@", "$ORIGIN", "a;b", `a\.b`, `"a"`, "(", "a.lab.example.", "A", "bücher", "a b", "a\n\nb. 30 IN A 192.0.2.1", "*.*", "a.*", ""} {
		f.Add(s, "b.c")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		d := model.DNS{Zone: "lab.example"}
		want := map[string][]string{"lab.example. NS": {"lab.example."}, "lab.example. A": {lb.String()}}
		for i, s := range []string{one, two} {
			n, syntax, inside := model.ParseRecordName(s, d.Zone)
			if !syntax || !inside || n == d.Zone {
				return
			}
			abs, absolute := strings.CutSuffix(s, ".")
			if !absolute {
				abs += ".lab.example"
			}
			if string(n) != abs || !wellFormed(strings.TrimPrefix(abs, "*.")) {
				t.Fatalf("%q is accepted as %q", s, n)
			}
			if i == 1 && d.Records[0].Name == n {
				return
			}
			d.Records = append(d.Records, model.Record{Name: n, Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.1")}})
			want[abs+". A"] = []string{"192.0.2.1"}
		}
		records, _ := parsed(t, mustNew(t, d, "").ConfigMap(1)["zone.db"])
		maps.DeleteFunc(records, func(key string, _ []string) bool { return strings.HasSuffix(key, " TYPE65280") })
		if !maps.EqualFunc(records, want, slices.Equal) {
			t.Errorf("got %v\nwant %v", records, want)
		}
	})
}

// FuzzRevision: whatever is stored, it is read as a revision only if the same
// serial and hash would be stored for the same data again.
//
// REQ: DL-03
func FuzzRevision(f *testing.F) {
	d := mustNew(f, spec("lab.example", nil, "corp.example"), clean)
	data := d.ConfigMap(7)
	f.Add("7", d.Hash(), data["zone.db"], data["hosts"])
	f.Add("07", d.Hash(), data["zone.db"], data["hosts"])
	f.Add("4294967296", "", "lab.example. 30 IN SOA lab.example. hostmaster.invalid. 0 7200 900 1209600 30\n", "")
	f.Fuzz(func(t *testing.T, serial, sum, zone, hosts string) {
		annotations := map[string]string{"tsunaro.io/dns-serial": serial, "tsunaro.io/dns-content-sha256": sum}
		stored := map[string]string{"zone.db": zone, "hosts": hosts}
		r, err := ReadRevision(annotations, stored)
		if err != nil {
			return
		}
		if !maps.Equal(r.Annotations(), annotations) || r.Serial == 0 {
			t.Errorf("%v was stored as %v", r, annotations)
		}
		first, rest, _ := strings.Cut(zone, "\n")
		if fields := strings.Fields(first); len(fields) != 11 || fields[6] != serial || hash(rest, hosts, true) != sum {
			t.Errorf("%q passes for the zone of %v", zone, r)
		}
	})
}
