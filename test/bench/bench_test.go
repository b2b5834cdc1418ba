package bench

import (
	"slices"
	"testing"
)

func all(t testing.TB) []Case {
	t.Helper()
	singles, err := Singles()
	if err != nil {
		t.Fatal(err)
	}
	zones, err := Zones()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(singles, zones, Fleets())
}

// BenchmarkCases runs what the report runs:
//
//	go test -bench . ./test/bench
func BenchmarkCases(b *testing.B) {
	for _, c := range all(b) {
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.Gateways), "ns/gateway")
		})
	}
}

// A benchmark of work that fails measures nothing.
func TestCasesRun(t *testing.T) {
	for _, c := range all(t) {
		if c.Gateways <= 100 {
			if err := c.Run(); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}
