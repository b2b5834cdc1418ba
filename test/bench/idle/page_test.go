//go:build linux

package main

import (
	"strings"
	"testing"
	"time"
)

// The section says what was measured, and a missed goal as such.
func TestSection(t *testing.T) {
	ramp := func(n int, last time.Duration) (all []time.Duration) {
		for i := range n {
			all = append(all, last*time.Duration(i+1)/time.Duration(n))
		}
		return all
	}
	every := func(last time.Duration) phase {
		return phase{took: last, requests: 8000, cpu: 4 * time.Second, latencies: latencies{ramp(1000, last), ramp(1000, last)}}
	}
	m := measured{
		options: options{gateways: 1000, names: 3}, flags: []string{"--a=1", "--b"}, sourceBytes: 110 << 10,
		start:  phase{took: 40 * time.Second, requests: 27000, headscale: 1300, cpu: 12 * time.Second},
		idle:   phase{took: time.Minute, requests: 6, headscale: 12, cpu: 600 * time.Millisecond},
		single: phase{took: 30 * time.Second, requests: 1800, cpu: time.Second, latencies: latencies{ramp(200, 100*time.Millisecond), ramp(200, 120*time.Millisecond)}},
		every:  []phase{every(30 * time.Second), every(10 * time.Second), every(20 * time.Second)},
		reads:  25000, resident: 90 << 20, startPeak: 110 << 20, peak: 120 << 20,
	}
	text, err := m.section()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1,000 completed gateways", "3,000 names (110 KiB)", "0.10 in 60.0 s, and 0.69 on average", "| 12.0 | met |", "90 MiB | met |", "| 99 ms | met |",
		"| 0.10 | 5,000 |", "| 12.0 | 12,000 |", "| 4950 ms |", "all 1,000: they are live | 10020 | 19800 | 20000 | 8.0 | 4.0 |", "(`--a=1 --b`)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	m.resident, m.idle.headscale = 151<<20, 13
	m.single.zone = ramp(200, 300*time.Millisecond)
	m.idle.requests = 30
	if text, err = m.section(); err != nil || strings.Count(text, "not met") != 4 {
		t.Errorf("%v %s", err, text)
	}
}

func TestSamples(t *testing.T) {
	s := samples{"# HELP a x", `a{x="1",y="2"} 3`, `a{x="1",y="3"} 4.5e+01`, `a{x="2"} 7`, `ab{x="1"} 9`}
	if sum, n := s.sum("a", `x="1"`), s.count("a"); sum != 48 || n != 3 {
		t.Errorf("%g of %d", sum, n)
	}
}

func TestThousands(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 999.4: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(v); got != want {
			t.Errorf("%g: %s", v, got)
		}
	}
}
