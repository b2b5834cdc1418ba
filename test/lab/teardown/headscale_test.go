//go:build lab && linux

package teardown

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/test/testbed/tap"
)

// TestHeadscaleFails has one request after the other answered by nobody, with an
// error, or by somebody else. The teardown is blocked at the step that needs the
// answer, whatever it is, nothing that comes later goes, and it goes on as soon as
// Headscale answers.
//
// REQ: TD-02, TD-03, TD-06, LC-06 (B21, B25, B42)
func TestHeadscaleFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gs := p.newGateways(3)
	p.declare(gs...)
	p.start()
	p.complete(gs...)
	gs[0].failing()
	gs[1].unknown()
	gs[2].givenUp()
}

// failing is a gateway that meets every fault. What it has left is the same from the
// first to the last: all but the entry and the workload.
func (g *gateway) failing() {
	g.Helper()
	began := []string{string(teardown.CloseEntry), string(teardown.DeleteWorkload)}
	left := g.after(g.objects(), began)
	const reads = 4 // of the answers are enough for what only asks
	headscale, nodeID, keyID := "Headscale/"+g.tailnet, "HeadscaleNode/"+string(g.node), "HeadscaleKey/"+string(g.key)
	for i, f := range []struct {
		to, also request // what is not answered yet when the first begins to be
		step     string
		object   string
		times    int
		before   func() // what happens behind the minter's back
	}{
		{listNodes, "", string(teardown.DeleteNode), headscale, reads, nil},
		{deleteNode, "", string(teardown.DeleteNode), nodeID, len(answers), nil},
		{getNode, listKeys, string(teardown.DeleteNode), headscale, reads, g.deleteNode}, // is it really gone?
		{listKeys, "", string(teardown.ExpireKey), headscale, reads, nil},
		{expireKey, "", string(teardown.ExpireKey), keyID, len(answers), nil},
	} {
		for k, a := range answers[:f.times] {
			now := &fault{to: f.to, answer: a.answer, also: f.also}
			g.fault.Store(now)
			if k == 0 && f.before != nil {
				f.before()
			}
			if i == 0 && k == 0 {
				g.delete()
			}
			g.meet(now)
			message := g.awaitBlocked(f.step, f.object)
			if k == 0 {
				g.Logf("%s: %s", f.to, message)
			}
			wantSame(g.World, g.name+", "+string(f.to)+", "+a.why, left, g.objects())
		}
		if n := len(g.look().usable(g)); n != 1 {
			g.Errorf("%s: %d keys can be used", f.to, n)
		}
	}
	g.fault.Store(nil)
	g.wake()
	g.awaitGone()
	g.wantClean()
}

// meet waits until the fault has answered in one pass, and that is over because it
// answers in another.
func (g *gateway) meet(f *fault) {
	g.Helper()
	const passes = 2
	for n := range int32(passes) {
		g.wake()
		g.Await("the fault is met: "+string(f.to), func(context.Context) error {
			if f.met.Load() <= n {
				return errors.New("it is not")
			}
			return nil
		})
	}
}

// deleteNode deletes the gateway's node as Headscale's administrator.
func (g *gateway) deleteNode() { g.Helper(); g.headscaleDelete("/api/v1/node/" + string(g.node)) }

// unknown is a gateway whose node goes when the minter is just about to delete it:
// Headscale's own 404, of which the list is the second witness.
func (g *gateway) unknown() {
	g.Helper()
	from := len(g.Tap.Writes())
	g.judges(func(w tap.Write) tap.Cut {
		if g.what(w) == string(teardown.DeleteNode) {
			g.deleteNode()
		}
		return tap.Pass
	})
	g.delete()
	g.awaitGone()
	g.wantClean()
	writes := g.Tap.Writes()[from:]
	i := slices.Index(g.named(writes), string(teardown.DeleteNode))
	if i < 0 || writes[i].Status != http.StatusNotFound || slices.Contains(g.named(writes)[i+1:], string(teardown.DeleteNode)) {
		t := g.named(writes)
		g.Errorf("the deletion of a node that is gone: %d of %v", i, t)
	}
}

// givenUp is a gateway that is kept, when Headscale does not come back.
func (g *gateway) givenUp() {
	g.Helper()
	began := []string{string(teardown.CloseEntry), string(teardown.DeleteWorkload)}
	left := g.after(g.objects(), began)
	g.fault.Store(&fault{to: listNodes})
	g.delete()
	g.awaitBlocked(string(teardown.DeleteNode), "Headscale/"+g.tailnet)
	g.mustPatch(retain)
	g.awaitGone()
	g.wantLeft(left, began, g.look())
}
