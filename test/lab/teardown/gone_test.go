//go:build lab && linux

package teardown

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/renderer/api"
)

// beforehand is what somebody has done to a complete gateway while the minter was
// away, before it was deleted.
type beforehand struct {
	why string
	do  func(*gateway)

	// then leads a teardown that does not end by itself to its end; nil is one that
	// does. left are the objects that stay, since nothing proves them.
	then func(*gateway)
	left []string
}

// TestBeforehand deletes gateways of which something is gone, or somebody else's.
// Nothing of theirs is left, or it is said what is in the way.
//
// REQ: TD-02, TD-03, TD-04, TD-06, LC-21 (B42)
func TestBeforehand(t *testing.T) {
	t.Parallel()
	rows := beforehands()
	p := newFreePlace(t)
	gs := p.newGateways(len(rows) + 1)
	p.declare(gs...)
	p.start()
	p.complete(gs...)
	neighbour := gs[len(rows)]
	before := neighbour.objects()
	p.Kill()
	for i, row := range rows {
		row.do(gs[i])
		gs[i].delete()
	}
	p.start()
	for i, row := range rows {
		g := gs[i]
		if row.then != nil {
			row.then(g)
		}
		g.awaitGone()
		if left := g.remains(row.left...); len(left) > 0 {
			t.Errorf("%s, %s: left are %v", row.why, g.name, left)
		}
		for _, o := range row.left {
			if _, ok := g.objects()[g.own(o)]; !ok {
				t.Errorf("%s, %s: %s is gone", row.why, g.name, o)
			}
		}
	}
	wantSame(p.World, "a neighbour", before, neighbour.objects())
}

func beforehands() []beforehand {
	fresh, state := objects[string(teardown.DeleteFresh)], objects[string(teardown.DeleteState)]
	workload, children := objects[string(teardown.DeleteWorkload)], childObjects()
	gone := func(list ...string) func(*gateway) { return func(g *gateway) { g.Helper(); g.remove(list...) } }
	entry := func(fields map[string]string) func(*gateway) {
		return func(g *gateway) { g.Helper(); g.editEntry(fields) }
	}
	all := func(do ...func(*gateway)) func(*gateway) {
		return func(g *gateway) {
			g.Helper()
			for _, f := range do {
				f(g)
			}
		}
	}
	auth, record := objects[string(teardown.DeleteAuth)], objects[string(teardown.DeleteAuthReceipt)]
	noKey := func(g *gateway) { g.Helper(); g.headscaleDelete("/api/v1/preauthkey?id=" + string(g.key)) }
	return []beforehand{
		{why: "no entry, no StatefulSet", do: all(entry(map[string]string{api.BindingGatewayUID: "", api.BindingStateUID: "", api.BindingPhase: ""}), gone(workload))},
		{why: "another gateway's entry, none of the others of the nine", do: all(entry(map[string]string{api.BindingGatewayUID: strangers[0], api.BindingStateUID: strangers[1]}), gone(children...))},
		{why: "no readable entry, no auth Secret", do: all(entry(map[string]string{api.BindingPhase: "none", api.BindingStateUID: ""}), gone(auth))},
		{why: "no node, no auth receipt", do: all((*gateway).deleteNode, gone(record))},
		{why: "no key, no state", do: all(noKey, gone(state))},
		{why: "no receipt", do: gone(fresh)},
		{why: "the receipt alone", do: func(g *gateway) {
			g.Helper()
			g.remove(append(slices.Clone(children), workload, state, auth, record)...)
		}},
		{why: "the receipt's stage alone", do: func(g *gateway) {
			g.Helper()
			g.put(objects[stage], replaced)
			g.remove(fresh)
		}},
		{why: "another receipt that says the same", do: func(g *gateway) { g.Helper(); g.put(fresh, replaced) }},
		{why: "a receipt that is not the gateway's", do: func(g *gateway) { g.Helper(); g.put(fresh, foreign) }, then: func(g *gateway) {
			g.Helper()
			before := g.objects()
			message := g.awaitBlocked(string(teardown.ReadReceipt), g.ref(fresh))
			wantSame(g.World, "with a receipt that is not the gateway's", before, g.objects())
			if g.registry()[api.BindingKey(g.name, api.BindingPhase)] == "" {
				g.Error("the entry is gone all the same")
			}
			g.clear(message)
		}},
		// Without receipt and state nothing proves the nine, and the workload runs.
		{why: "neither receipt nor state", do: gone(fresh, state), left: children, then: func(g *gateway) {
			g.Helper()
			g.clear(g.awaitBlocked(string(teardown.DeleteWorkload), g.ref(workload)))
			g.clear(g.awaitBlocked(string(teardown.DeleteNode), "HeadscaleNode/"+string(g.node)))
		}},
	}
}

// childObjects are the nine but for the StatefulSet.
func childObjects() (list []string) {
	for _, s := range steps {
		if strings.HasPrefix(s, child) {
			list = append(list, objects[s])
		}
	}
	return list
}

// headscaleDelete deletes something as Headscale's administrator.
func (g *gateway) headscaleDelete(path string) {
	g.Helper()
	if err := shared.headscale.Call(g.Context(), http.MethodDelete, path, nil, nil); err != nil {
		g.Fatal(err)
	}
}
