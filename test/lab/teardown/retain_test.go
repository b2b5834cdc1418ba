//go:build lab && linux

package teardown

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/tap"
)

// hold is somebody else's finalizer, with which one can look at a gateway that the
// minter has let go.
const hold = "lab.example/hold"

// TestTakenBack takes the consent back at every step, when the minter has decided on
// it and before a server knows: that step is the last, and everything else stays.
//
// REQ: TD-01, LC-05
func TestTakenBack(t *testing.T) {
	t.Parallel()
	spread(t, steps, places, func(t *testing.T, names []string) {
		p := newPlace(t)
		gs := p.newGateways(len(names))
		for _, g := range gs {
			g.manifest["metadata"].(map[string]any)["finalizers"] = []any{hold}
		}
		p.declare(gs...)
		p.start()
		p.complete(gs...)
		for i, name := range names {
			gs[i].takenBack(name)
		}
	})
}

func (g *gateway) takenBack(name string) {
	g.Helper()
	before, others, from := g.objects(), g.others(), len(g.tap.Writes())
	met := false
	g.judges(func(w tap.Write) tap.Cut {
		if !met && g.what(w) == name {
			met = true
			if err := g.patch(context.Background(), retain); err != nil {
				g.Error(err)
			}
		}
		return tap.Pass
	})
	g.delete()
	g.Await(g.name+" is let go", func(context.Context) error {
		if f := g.cr().Finalizers; !slices.Equal(f, []string{hold}) {
			return fmt.Errorf("finalizers %v, %s", f, says(g.cr()))
		}
		return nil
	})
	g.awaitSays(api.ReasonDeleting, "TailnetGateway/"+g.name)

	want := slices.Clone(steps[:slices.Index(steps, name)+1])
	if name != string(teardown.RemoveFinalizer) {
		want = append(want, string(teardown.RemoveFinalizer))
	}
	if taken := g.taken(from); !slices.Equal(taken, want) {
		g.Errorf("%s, taken back at %s: the steps are %v", g.name, name, taken)
	}
	left := g.after(before, want)
	g.wantLeft(left, want)
	g.mustPatch(`{"metadata":{"finalizers":[]}}`)
	g.awaitGone()
	g.wantLeft(left, want)
	wantSame(g.World, g.name+", taken back at "+name, others, g.others())
	g.Logf("%-40s %d objects stay", name, len(left))
}

// after are the objects that some steps leave.
func (g *gateway) after(before map[string]string, taken []string) map[string]string {
	left := maps.Clone(before)
	for _, s := range taken {
		if o, ok := objects[s]; ok {
			delete(left, g.own(o))
		}
	}
	if slices.Contains(taken, string(teardown.DeleteWorkload)) {
		delete(left, "Pod/"+g.name+"-0")
	}
	return left
}

// wantLeft waits until of a gateway's objects just those are there, and wants its node
// and its key if no step has taken them.
func (g *gateway) wantLeft(left map[string]string, taken []string) {
	g.Helper()
	g.Await("just the rest of "+g.name+" is there", func(context.Context) error {
		if now := g.objects(); !maps.Equal(now, left) { // a Pod takes its time
			return fmt.Errorf("it is %v, want %v", now, left)
		}
		return nil
	})
	at := g.look()
	if has, want := len(at.nodes(g)) > 0, !slices.Contains(taken, string(teardown.DeleteNode)); has != want {
		g.Errorf("%s: there is a node: %t, want %t", g.name, has, want)
	}
	if has, want := len(at.usable(g)) > 0, !slices.Contains(taken, string(teardown.ExpireKey)); has != want {
		g.Errorf("%s: there is a key: %t, want %t", g.name, has, want)
	}
}
