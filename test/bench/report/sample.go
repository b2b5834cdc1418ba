//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"tsunaro.io/gateway/test/bench"
)

// cost is what one run took.
type cost struct{ cpu, wall time.Duration }

// samples holds the costs of everything that was measured, by name and round.
type samples map[string][]cost

// interleave runs every work once a round, each round in another order: what the
// machine does meanwhile, and what the run before leaves in the caches, meets all
// of them alike.
func (s samples) interleave(rounds int, work map[string]func() (cost, error)) error {
	names := make([]string, 0, len(work))
	for name := range work {
		names = append(names, name)
	}
	for round := range rounds {
		if round%10 == 0 {
			fmt.Fprintf(os.Stderr, "%d programs or calls, round %d of %d\n", len(work), round+1, rounds)
		}
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			c, err := work[name]()
			if err != nil {
				return err
			}
			s[name] = append(s[name], c)
		}
	}
	return nil
}

// quantile returns the q-th of a name's costs, by processor time or by wall
// clock.
func (s samples) quantile(name string, q float64, by func(cost) time.Duration) time.Duration {
	var all []time.Duration
	for _, c := range s[name] {
		all = append(all, by(c))
	}
	slices.Sort(all)
	return all[int(q*float64(len(all)-1)+0.5)]
}

func cpu(c cost) time.Duration  { return c.cpu }
func wall(c cost) time.Duration { return c.wall }

// ratio is the median, over the rounds, of what a took for each b.
func (s samples) ratio(a, b string, by func(cost) time.Duration) float64 {
	var all []float64
	for round := range s[a] {
		all = append(all, float64(by(s[a][round]))/float64(by(s[b][round])))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// perRun measures work inside this process: as many runs as fill a time that the
// kernel accounts well, garbage collection included.
func perRun(c bench.Case) func() (cost, error) {
	const enough = 50 * time.Millisecond
	return func() (cost, error) {
		runtime.GC() // of what others left
		begin, start := used(), time.Now()
		for n := 1; ; n++ {
			if err := c.Run(); err != nil {
				return cost{}, fmt.Errorf("%s: %w", c.Name, err)
			}
			if wall := time.Since(start); wall >= enough {
				return cost{(used() - begin) / time.Duration(n), wall / time.Duration(n)}, nil
			}
		}
	}
}

// used is the processor time of this process so far.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it fails on wrong arguments only
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
