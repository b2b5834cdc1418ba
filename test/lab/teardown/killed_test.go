//go:build lab && linux

package teardown

import (
	"context"
	"slices"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tap"
)

// TestKilled ends the minter at every write of a teardown: at one gateway before each
// of them, so that every process dies with its first decision, and at another one after
// each, so that none learns what came of it. Every step is taken once.
//
// REQ: TD-02, TD-06 (B42)
func TestKilled(t *testing.T) {
	t.Parallel()
	for _, cut := range []tap.Cut{tap.Before, tap.After} {
		t.Run(cut.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			gs := p.newGateways(2) // one stays
			p.declare(gs...)
			p.start()
			p.complete(gs...)
			gs[0].killed(cut)
		})
	}
}

// killed is one teardown with a crash at every write.
func (g *gateway) killed(cut tap.Cut) {
	g.Helper()
	others, from, began := g.others(), len(g.Tap.Writes()), time.Now()
	table := slices.Concat(steps, meanwhile)
	met := map[string]bool{}
	g.judges(func(w tap.Write) tap.Cut {
		if name := g.what(w); slices.Contains(table, name) && !met[name] {
			met[name] = true
			return cut
		}
		return tap.Pass
	})
	g.delete()
	crashes := 0
	for g.ends() {
		crashes++
		taken := g.taken(from)
		if !slices.Equal(taken, steps[:min(len(taken), len(steps))]) {
			g.Errorf("after %d crashes the steps are %v", crashes, taken)
		}
		g.again()
	}
	g.Logf("%d crashes, %.1f s", crashes, time.Since(began).Seconds())
	if crashes < len(steps)-1 { // after the last step the gateway may be seen to be gone first
		g.Errorf("%d crashes, want %d", crashes, len(steps))
	}
	g.wantClean()
	wantSame(g.World, "the other gateway", others, g.others())
	if taken := g.taken(from); !slices.Equal(taken, steps) {
		g.Errorf("the steps are %v", taken)
	}
	for _, w := range g.Tap.Writes()[from:] {
		if name := g.what(w); !labtest.OfAnother(w, g.name) && !slices.Contains(slices.Concat(table, slow, afterwards), name) {
			g.Errorf("the table has no %s", name)
		}
	}
}

// ends waits until the minter was killed, or the gateway is gone.
func (g *gateway) ends() (killed bool) {
	g.Helper()
	g.Await("the minter is killed, or "+g.name+" is gone", func(ctx context.Context) error {
		if killed = g.Tap.Dead(); killed {
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
