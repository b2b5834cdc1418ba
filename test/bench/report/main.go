//go:build linux

// Command report measures tsunaro-fn beside its peers and writes
// docs/performance.md. It is run in the root of the source tree (make bench).
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tsunaro.io/gateway/test/bench"
)

// Rounds of what takes shorter and longer.
const (
	processRounds = 100
	singleRounds  = 50
	fleetRounds   = 9
	peakRounds    = 5
)

func main() {
	if err := report("docs/performance.md"); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func report(file string) error {
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p := page{samples{}, map[string]int64{}, map[string]uint64{}, string(before)}
	if err := p.processes(); err != nil {
		return err
	}
	singles, err := bench.Singles()
	if err != nil {
		return err
	}
	zones, err := bench.Zones()
	if err != nil {
		return err
	}
	for _, c := range zones {
		if p.allocated[c.Name], err = bench.Allocated(c); err != nil {
			return err
		}
	}
	if err := p.calls(singleRounds, append(singles, zones...)); err != nil {
		return err
	}
	if err := p.calls(fleetRounds, bench.Fleets()); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := p.write(&text); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "writing", file)
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// processes measures whole processes.
func (p page) processes() error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs, err := programs(dir)
	if err != nil {
		return err
	}
	work := map[string]func() (cost, error){}
	for _, program := range programs {
		work[program.name] = program.measure
	}
	if err := p.interleave(processRounds, work); err != nil {
		return err
	}
	for range peakRounds {
		for _, program := range programs {
			n, err := program.peak()
			if err != nil {
				return err
			}
			p.peaks[program.name] = max(p.peaks[program.name], n)
		}
	}
	return nil
}

// calls measures work in this process.
func (p page) calls(rounds int, cases []bench.Case) error {
	work := map[string]func() (cost, error){}
	for _, c := range cases {
		work[c.Name] = perRun(c)
	}
	return p.interleave(rounds, work)
}
