//go:build lab && linux

package teardown

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/test/testbed/tap"
)

// places is how many the gateways of one test are spread over: they go side by side.
const places = 3

// spread gives each of some places its share of what is to be done.
func spread(t *testing.T, what []string, n int, do func(*testing.T, []string)) {
	t.Helper()
	for i := range n {
		var share []string
		for k := i; k < len(what); k += n {
			share = append(share, what[k])
		}
		t.Run(fmt.Sprintf("place %d of %d", i+1, n), func(t *testing.T) {
			t.Parallel()
			do(t, share)
		})
	}
}

// TestKilled ends the minter at every write of a teardown: at one and the same gateway
// before the write, and the next process after it. Every step is taken once.
//
// REQ: TD-02, TD-06 (B42)
func TestKilled(t *testing.T) {
	t.Parallel()
	spread(t, slices.Concat(steps, meanwhile), places, func(t *testing.T, names []string) {
		p := newPlace(t)
		gs := p.newGateways(len(names) + 1) // one stays
		p.declare(gs...)
		p.start()
		p.complete(gs...)
		for i, name := range names {
			gs[i].killed(name)
		}
	})
}

// killed is one teardown with two crashes.
func (g *gateway) killed(name string) {
	g.Helper()
	others, from, began := g.others(), len(g.tap.Writes()), time.Now()
	var met int
	g.judges(func(w tap.Write) tap.Cut {
		if met < 2 && g.what(w) == name {
			met++
			return []tap.Cut{tap.Before, tap.After}[met-1]
		}
		return tap.Pass
	})
	g.delete()
	crashes := 0
	for g.ends() {
		crashes++
		if taken := g.taken(from); crashes == 1 && slices.Contains(taken, name) || !slices.Equal(taken, steps[:min(len(taken), len(steps))]) {
			g.Errorf("%s, killed at %s: %v", g.name, name, taken)
		}
		g.again()
	}
	if crashes != 2 && slices.Contains(steps, name) {
		g.Errorf("%s: killed %d times at %s", g.name, crashes, name)
	}
	g.wantClean()
	wantSame(g.World, g.name+", killed at "+name, others, g.others())
	if taken := g.taken(from); !slices.Equal(taken, steps) {
		g.Errorf("%s, killed at %s: the steps are %v", g.name, name, taken)
	}
	for _, w := range g.named(g.tap.Writes()[from:]) {
		if !slices.Contains(slices.Concat(steps, meanwhile, afterwards), w) {
			g.Errorf("%s, killed at %s: the table has no %s", g.name, name, w)
		}
	}
	g.Logf("%-40s %d crashes, %4.1f s", name, crashes, time.Since(began).Seconds())
}

// ends waits until the minter was killed, or the gateway is gone.
func (g *gateway) ends() (killed bool) {
	g.Helper()
	g.Await("the minter is killed, or "+g.name+" is gone", func(ctx context.Context) error {
		if killed = g.tap.Dead(); killed {
			return nil
		}
		return g.isGone(ctx)
	})
	return killed
}

// The table holds every action of package teardown that a whole gateway needs.
func TestTable(t *testing.T) {
	var of []string
	for _, s := range steps {
		of = append(of, step(s))
	}
	for _, a := range teardown.Actions() {
		if in := slices.Contains(of, string(a)); in == (a == teardown.DeleteStage) { // only of a receipt that is made anew
			t.Errorf("%s: in the table %t", a, in)
		}
	}
}
