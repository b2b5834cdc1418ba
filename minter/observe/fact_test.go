package observe

import "testing"

// A fact is one of three things, and nothing is known of one that nobody read.
//
// REQ: LC-06
func TestFact(t *testing.T) {
	for name, c := range map[string]struct {
		fact                   Fact[int]
		known, absent, unknown bool
		class                  Class
	}{
		"known":    {Known(0), true, false, false, ""},
		"absent":   {Absent[int](), false, true, false, ""},
		"unknown":  {Unknown[int](Denied), false, false, true, Denied},
		"not read": {Fact[int]{}, false, false, true, NotRead},
	} {
		f := c.fact
		_, ok := f.Get()
		if f.Known() != c.known || ok != c.known || f.Absent() != c.absent || f.Unknown() != c.unknown || f.Class() != c.class {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// What matters of a thing is known as the thing is, and for no other reason unknown.
//
// REQ: LC-06
func TestMap(t *testing.T) {
	length := func(s string) int { return len(s) }
	for name, c := range map[string]struct {
		of   Fact[string]
		want Fact[int]
	}{
		"known":    {Known("four"), Known(4)},
		"absent":   {Absent[string](), Absent[int]()},
		"denied":   {Unknown[string](Denied), Unknown[int](Denied)},
		"not read": {Fact[string]{}, Fact[int]{}},
	} {
		if f := Map(c.of, length); f != c.want {
			t.Errorf("%s: %+v, want %+v", name, f, c.want)
		}
	}
}
