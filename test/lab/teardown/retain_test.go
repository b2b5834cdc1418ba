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
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tap"
)

// hold is somebody else's finalizer, with which one can look at a gateway that the
// minter has let go.
const hold = "lab.example/hold"

// TestTakenBack takes the consent back at every step, when the minter has decided on
// it and before a server knows: that step is the last, and everything else stays, also
// while others are torn down.
//
// REQ: TD-01, LC-05
func TestTakenBack(t *testing.T) {
	t.Parallel()
	const places = 2
	for i := range places {
		t.Run(fmt.Sprintf("place %d", i+1), func(t *testing.T) {
			t.Parallel()
			var names []string
			for k := i; k < len(steps); k += places {
				names = append(names, steps[k])
			}
			takenBack(t, names)
		})
	}
}

func takenBack(t *testing.T, names []string) {
	p := newPlace(t)
	gs := p.newGateways(len(names))
	for _, g := range gs {
		g.manifest["metadata"].(labtest.Object)["finalizers"] = []any{hold}
	}
	p.declare(gs...)
	p.start()
	p.complete(gs...)
	left, taken := make([]map[string]string, len(gs)), make([][]string, len(gs))
	for i, name := range names {
		left[i], taken[i] = gs[i].takenBack(name)
		t.Logf("%-40s %d objects stay", name, len(left[i]))
	}
	for _, g := range gs {
		g.mustPatch(`{"metadata":{"finalizers":[]}}`)
		g.awaitGone()
	}
	at := p.look()
	for i, g := range gs {
		g.wantLeft(left[i], taken[i], at)
	}
}

// takenBack is a teardown that ends with a step. It returns what is left, and the
// steps that were taken.
func (g *gateway) takenBack(name string) (left map[string]string, taken []string) {
	g.Helper()
	before, from := g.objects(), len(g.Tap.Writes())
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
	if taken = g.taken(from); !slices.Equal(taken, want) {
		g.Errorf("%s, taken back at %s: the steps are %v", g.name, name, taken)
	}
	left = g.after(before, want)
	g.wantObjects(left)
	return left, want
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

// wantObjects waits until of a gateway's objects just those are there: a Pod takes its
// time to go.
func (g *gateway) wantObjects(left map[string]string) {
	g.Helper()
	g.Await("just the rest of "+g.name+" is there", func(context.Context) error {
		if now := g.objects(); !maps.Equal(now, left) {
			return fmt.Errorf("it is %v, want %v", now, left)
		}
		return nil
	})
}

// wantLeft wants just those objects too, and the node and the key that no step has
// taken.
func (g *gateway) wantLeft(left map[string]string, taken []string, at atHeadscale) {
	g.Helper()
	g.wantObjects(left)
	if has, want := len(at.nodes(g)) > 0, !slices.Contains(taken, string(teardown.DeleteNode)); has != want {
		g.Errorf("%s: there is a node: %t, want %t", g.name, has, want)
	}
	if has, want := len(at.usable(g)) > 0, !slices.Contains(taken, string(teardown.ExpireKey)); has != want {
		g.Errorf("%s: there is a key: %t, want %t", g.name, has, want)
	}
}
