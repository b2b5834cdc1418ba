package concern

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/zone"
)

const before = "# the lab\n10.0.0.1 printer.lab.example\n10.0.0.2 nas.lab.example nas.other.example\n10.0.0.3 far.away.example # east\n"

// REQ: DL-01
func TestConcerns(t *testing.T) {
	line := func(l string) string { return before + l + "\n" }
	long := strings.Repeat("a.", 150) + "lab.example"
	for why, c := range map[string]struct {
		after      string
		lab, other bool
	}{
		"nothing":                       {before, false, false},
		"a comment":                     {"# their lab\n" + before[len("# the lab\n"):], false, false},
		"a comment behind a line":       {strings.Replace(before, "# east", "# west", 1), false, false},
		"another order":                 {"10.0.0.3 far.away.example # east\n" + strings.Replace(before, "10.0.0.3 far.away.example # east\n", "", 1), false, false},
		"a line twice, in vain":         {line("10.0.0.1 printer.lab.example"), true, false},
		"a byte order mark":             {mark + before, false, false},
		"no final line feed":            {strings.TrimSuffix(before, "\n"), false, false},
		"one name more":                 {line("10.0.0.4 new.lab.example"), true, false},
		"one in capitals, with a dot":   {line("10.0.0.4 New.LAB.example."), true, false},
		"one deeper":                    {line("10.0.0.4 a.b.lab.example"), true, false},
		"one of the apex":               {line("10.0.0.4 lab.example"), true, false},
		"one that only ends alike":      {line("10.0.0.4 collab.example"), false, false},
		"one in nobody's zone":          {line("10.0.0.4 new.away.example"), false, false},
		"one name less":                 {strings.Replace(before, "10.0.0.1 printer.lab.example\n", "", 1), true, false},
		"another address":               {strings.Replace(before, "10.0.0.1", "10.0.0.9", 1), true, false},
		"a line of two zones":           {strings.Replace(before, "10.0.0.2", "10.0.0.9", 1), true, true},
		"a name in the address's place": {line("new.lab.example 10.0.0.4"), true, false},
		"a single field":                {line("10.0.0.4"), true, true},
		"a name that is too long":       {line("10.0.0.4 " + long), true, true},
		"too long a source":             {before + strings.Repeat("#", zone.MaxHostsBytes), true, true},
		"empty":                         {"", true, true},
	} {
		change := Between(before, c.after)
		back := Between(c.after, before)
		for z, want := range map[string]bool{"lab.example": c.lab, "other.example": c.other} {
			if change.Concerns(z) != want || back.Concerns("elsewhere.example", z) != (want || back.everybody) {
				t.Errorf("%s: %s is concerned: %t, and back %t; want %t", why, z, change.Concerns(z), back.Concerns(z), want)
			}
		}
	}
	if (Change{}).Concerns("lab.example") {
		t.Error("nothing concerns somebody")
	}
}

// FuzzUnconcerned: who is not concerned serves the same before and after.
//
// REQ: DL-01
func FuzzUnconcerned(f *testing.F) {
	f.Add(before, before+"10.0.0.4 new.lab.example\n")
	f.Add(before, before+"10.0.0.4 new.LAB.example. x.other.example\n")
	f.Add("10.0.0.1 a.lab.example\n10.0.0.2 lab\n", "10.0.0.1 a.lab.example")
	f.Add(mark+"10.0.0.1 a.lab.example", "10.0.0.1 a.lab.example\r\n\v10.0.0.1")
	f.Add("10.0.0.1 a.lab.example..\n", "a.lab.example.\n#\n")
	specs := []model.DNS{
		{Zone: "lab.example"},
		{Zone: "example", ExtraZones: []model.ExtraZone{{Zone: "lab", Upstreams: []netip.Addr{netip.MustParseAddr("10.0.0.1")}}}},
	}
	lb := netip.MustParseAddr("10.99.0.53")
	f.Fuzz(func(t *testing.T, before, after string) {
		change := Between(before, after)
		for _, spec := range specs {
			zones := []string{string(spec.Zone)}
			for _, e := range spec.ExtraZones {
				zones = append(zones, string(e.Zone))
			}
			was, wrong := zone.New(spec, lb, before)
			if len(wrong) > 0 || change.Concerns(zones...) {
				continue // who is refused is always woken
			}
			is, wrong := zone.New(spec, lb, after)
			if len(wrong) > 0 || was.Hash() != is.Hash() {
				t.Errorf("%v is concerned: %v, %q to %q", zones, wrong, before, after)
			}
		}
	})
}

// BenchmarkThousandGateways is what a change of one name costs, with as many names
// as there may be and a thousand gateways.
func BenchmarkThousandGateways(b *testing.B) {
	var text strings.Builder
	for i := range zone.MaxHostsNames {
		fmt.Fprintf(&text, "10.%d.%d.%d host-%d.gw-%d.example\n", i>>16, i>>8&255, i&255, i, i%1000)
	}
	was := text.String()
	for name, is := range map[string]string{
		"one name":   strings.Replace(was, "host-8000.", "other-8000.", 1),
		"every line": strings.ReplaceAll(was, "host-", "other-"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				change := Between(was, is)
				for i := range 1000 {
					change.Concerns(fmt.Sprintf("gw-%d.example", i))
				}
			}
		})
	}
}
