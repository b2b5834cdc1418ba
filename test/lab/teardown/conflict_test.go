//go:build lab && linux

package teardown

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

const stage = string(teardown.DeleteStage)

// TestConflicts puts something else in the place of every object of a gateway, one
// after the other: the teardown is blocked at the object's own step, which the message
// names, and nothing that comes later goes. The command of the message leads on.
//
// REQ: TD-02, TD-03, TD-05 (B42)
func TestConflicts(t *testing.T) {
	t.Parallel()
	p := newFreePlace(t)
	gs := p.newGateways(3)
	p.declare(gs...)
	p.start()
	p.complete(gs...)
	neighbour := gs[2]
	before := neighbour.objects()

	gs[0].conflicts(foreign, append(conflictSteps(), stage)...)
	// A stage that records what the receipt does is the minter's, whoever made it.
	gs[1].put(objects[stage], replaced)
	gs[1].conflicts(replaced, conflictSteps()...)
	wantSame(p.World, "a neighbour", before, neighbour.objects())
}

// conflictSteps are the steps at which an object has to be the recorded one, in their
// order; the receipt itself is looked at before all.
func conflictSteps() (names []string) {
	for _, s := range steps {
		if objects[s] != "" && s != string(teardown.DeleteFresh) {
			names = append(names, s)
		}
	}
	return names
}

// conflicts is a teardown that meets a conflict at each of some steps.
func (g *gateway) conflicts(of change, names ...string) {
	g.Helper()
	g.put(objects[names[0]], of)
	g.delete()
	for i, name := range names {
		message := g.awaitBlocked(step(name), g.ref(objects[name]))
		if i == 0 {
			g.Log(message)
		}
		if i+1 < len(names) {
			g.put(objects[names[i+1]], of)
		}
		g.wantThere(name)
		g.clear(message)
	}
	g.awaitGone()
	g.wantClean()
}

// wantThere wants all objects to be there that come after a step. That of the stage is
// after that of the auth receipt.
func (g *gateway) wantThere(name string) {
	g.Helper()
	after := name
	if name == stage {
		after = string(teardown.DeleteAuthReceipt)
	}
	for _, later := range steps[slices.Index(steps, after)+1:] {
		if objects[later] == "" {
			continue
		}
		in, object := g.at(objects[later])
		if _, err := in.Get(g.Context(), object, metav1.GetOptions{}); err != nil {
			g.Errorf("blocked at %s: %s: %v", name, later, err)
		}
	}
}

// ref is an object as messages write it.
func (g *gateway) ref(object string) string {
	kind, name, _ := strings.Cut(g.own(object), "/")
	return rules.Object{Kind: kind, Namespace: g.Namespace, Name: name}.String()
}

// awaitBlocked waits until the teardown is blocked at a step by an object, and returns
// what it says.
func (g *gateway) awaitBlocked(step, object string) (message string) {
	g.Helper()
	return g.awaitSays(api.ReasonTeardownBlocked, "stopped at the step "+step+": "+object+" ")
}

// clear removes a conflict by the command of the message, as it stands.
func (g *gateway) clear(message string) {
	g.Helper()
	command := labtest.Remedy(message)
	if command == "" {
		g.Fatalf("there is no way out: %s", message)
	}
	g.Obey(command)
	g.wake() // Secrets are not watched, nor is Headscale
}
