package zone

import (
	"errors"
	"maps"
	"math"
	"testing"
)

// TestNext follows a zone through the changes of its hosts source (B33).
//
// REQ: DL-01, DN-10
func TestNext(t *testing.T) {
	d := spec("lab.example", nil, "corp.example")
	const v1 = "192.0.2.8 app.lab.example\n"
	steps := []struct {
		why, hosts string
		serial     uint32
	}{
		{"first", v1, 1},
		{"cosmetic", "# note\r\n192.0.2.8\tAPP.lab.example.   # same\r\n", 1},
		{"another address", "192.0.2.88 app.lab.example\n", 2},
		{"as at first, and yet not back to 1", v1, 3},
		{"a name of an extra zone alone", v1 + "192.0.2.9 wiki.corp.example\n", 4},
		{"a name of nobody's", v1 + "192.0.2.9 wiki.corp.example\n192.0.2.1 other.example\n", 4},
		{"gone", "", 5},
	}
	r := mustNew(t, d, steps[0].hosts).First()
	for _, s := range steps {
		data := mustNew(t, d, s.hosts)
		next, err := data.Next(r)
		if err != nil || next.Serial != s.serial {
			t.Fatalf("%s: serial %d, %v, want %d", s.why, next.Serial, err, s.serial)
		}
		stored, err := ReadRevision(next.Annotations(), data.ConfigMap(next.Serial))
		if err != nil || stored != next {
			t.Errorf("%s: read back %v, %v", s.why, stored, err)
		}
		r = stored
	}
}

// TestExhausted: the last serial stays while nothing changes, and is never
// passed or wrapped.
//
// REQ: DL-01
func TestExhausted(t *testing.T) {
	d := spec("lab.example", nil)
	old, changed := mustNew(t, d, ""), mustNew(t, d, "192.0.2.8 app.lab.example\n")
	last := Revision{math.MaxUint32, old.Hash()}
	if r, err := old.Next(last); r != last || err != nil {
		t.Errorf("unchanged: %v, %v", r, err)
	}
	if r, err := changed.Next(last); !errors.Is(err, ErrSerialExhausted) || r != (Revision{}) {
		t.Errorf("changed: %v, %v", r, err)
	}
	if r, err := changed.Next(Revision{math.MaxUint32 - 1, old.Hash()}); err != nil || r.Serial != math.MaxUint32 {
		t.Errorf("the last step: %v, %v", r, err)
	}
	if r, err := changed.Next(Revision{}); !errors.Is(err, ErrRevision) {
		t.Errorf("from nothing: %v, %v", r, err)
	}
}

// TestReadRevision: whatever is missing, reset or does not belong together is no
// revision.
//
// REQ: DL-03
func TestReadRevision(t *testing.T) {
	data := mustNew(t, spec("lab.example", nil, "corp.example"), "192.0.2.8 app.lab.example\n192.0.2.9 wiki.corp.example\n")
	other := mustNew(t, spec("lab.example", nil, "corp.example"), "192.0.2.7 app.lab.example\n192.0.2.9 wiki.corp.example\n")
	good := Revision{7, data.Hash()}
	type maps2 struct{ annotations, data map[string]string }
	for name, change := range map[string]func(m maps2){
		"as stored":             func(maps2) {},
		"another Corefile":      func(m maps2) { m.data["Corefile"] = "x" },
		"no serial":             func(m maps2) { delete(m.annotations, "tsunaro.io/dns-serial") },
		"no hash":               func(m maps2) { delete(m.annotations, "tsunaro.io/dns-content-sha256") },
		"serial 0":              func(m maps2) { m.annotations["tsunaro.io/dns-serial"] = "0" },
		"serial 07":             func(m maps2) { m.annotations["tsunaro.io/dns-serial"] = "07" },
		"serial +7":             func(m maps2) { m.annotations["tsunaro.io/dns-serial"] = "+7" },
		"serial -1":             func(m maps2) { m.annotations["tsunaro.io/dns-serial"] = "-1" },
		"serial 2^32":           func(m maps2) { m.annotations["tsunaro.io/dns-serial"] = "4294967296" },
		"serial reset":          func(m maps2) { m.annotations["tsunaro.io/dns-serial"] = "1" },
		"serial and SOA differ": func(m maps2) { m.data["zone.db"] = data.ConfigMap(8)["zone.db"] },
		"hash of another zone":  func(m maps2) { m.annotations["tsunaro.io/dns-content-sha256"] = other.Hash() },
		"another zone":          func(m maps2) { m.data["zone.db"] = other.ConfigMap(7)["zone.db"] },
		"another line in it":    func(m maps2) { m.data["zone.db"] += "x.lab.example. 30 IN A 192.0.2.1\n" },
		"no zone":               func(m maps2) { delete(m.data, "zone.db") },
		"an empty zone":         func(m maps2) { m.data["zone.db"] = "" },
		"only a SOA": func(m maps2) {
			m.data["zone.db"] = "lab.example. 30 IN SOA lab.example. hostmaster.invalid. 7 7200 900 1209600 30\n"
		},
		"other hosts": func(m maps2) { m.data["hosts"] = "192.0.2.1 wiki.corp.example\n" },
		"no hosts":    func(m maps2) { delete(m.data, "hosts") },
	} {
		t.Run(name, func(t *testing.T) {
			m := maps2{good.Annotations(), maps.Clone(data.ConfigMap(7))}
			change(m)
			r, err := ReadRevision(m.annotations, m.data)
			if name == "as stored" || name == "another Corefile" {
				if r != good || err != nil {
					t.Errorf("%v, %v, want %v", r, err, good)
				}
			} else if !errors.Is(err, ErrRevision) || r != (Revision{}) {
				t.Errorf("%v, %v, want no revision", r, err)
			}
		})
	}
}
