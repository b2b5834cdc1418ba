package bench

import "testing"

// BenchmarkCases runs what the report runs:
//
//	go test -bench . ./test/bench
func BenchmarkCases(b *testing.B) {
	singles, err := Singles()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range append(singles, Fleets()...) {
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
	singles, err := Singles()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(singles, Fleets()...) {
		if c.Gateways <= 100 {
			if err := c.Run(); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}
