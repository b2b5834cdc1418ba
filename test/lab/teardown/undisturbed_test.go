//go:build lab && linux

package teardown

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/deploy"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tap"
)

// TestUndisturbed deletes a gateway beside another one. The writes are those of the
// table, each on what the minter has just read; the minter needs no right for them
// that it does not have, and none to delete that it has not used. Nothing is left, and
// the other gateway has everything that it had.
//
// REQ: TD-02, TD-06, LC-06, OP-02
func TestUndisturbed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gs := p.newGateways(2)
	p.declare(gs...)
	p.start()
	p.complete(gs...)
	g := gs[0]
	if f := g.cr().Finalizers; !slices.Contains(f, api.FinalizerTeardown) {
		t.Errorf("finalizers %v", f)
	}
	others, from, began := g.others(), len(p.Tap.Writes()), time.Now()
	g.delete()
	g.awaitGone()
	t.Logf("gone after %.1f s", time.Since(began).Seconds())
	g.wantClean()
	wantSame(p.World, "the other gateway", others, g.others())

	writes := p.Tap.Writes()[from:]
	for i, name := range g.named(writes) {
		if labtest.OfAnother(writes[i], g.name) {
			continue
		}
		t.Logf("%2d %s", i+1, name)
		if !slices.Contains(slices.Concat(steps, meanwhile, slow, afterwards), name) {
			t.Errorf("the table has no %s", name)
		}
		if writes[i].Status < 200 || writes[i].Status > 299 {
			t.Errorf("%s: HTTP %d", name, writes[i].Status)
		}
	}
	if taken := g.taken(from); !slices.Equal(taken, steps) {
		t.Errorf("the steps are %v", taken)
	}
	g.wantReads(writes)
	wantVerbs(t, writes)
}

// wantReads wants reads of gateway, Tailnet, registry and receipt between each step
// and the one before it.
func (g *gateway) wantReads(writes []tap.Write) {
	g.Helper()
	const custom = "/apis/" + api.Group + "/" + api.Version + "/"
	in := "/api/v1/namespaces/" + g.Namespace + "/configmaps/"
	want := []string{custom + "tailnetgateways/" + g.name, custom + "tailnets/" + g.tailnet, in + api.BindingsName, in + api.FreshName(g.name)}
	var reads []string
	for _, w := range writes {
		reads = append(reads, w.Reads...)
		name := g.what(w)
		if !slices.Contains(steps, name) {
			continue // somebody else's, at the same time
		}
		for _, path := range want {
			if !slices.Contains(reads, path) {
				g.Errorf("%s without a look at %s", name, path)
			}
		}
		reads = nil
	}
}

// wantVerbs holds the deletions against what the minter may delete.
func wantVerbs(t *testing.T, writes []tap.Write) {
	t.Helper()
	var may, has []string
	for _, grant := range deploy.Access() {
		if slices.Contains(grant.Verbs, "delete") {
			may = append(may, grant.Resource)
		}
	}
	for _, w := range writes {
		if w.Server == labtest.TheAPIServer && w.Method == http.MethodDelete {
			has = append(has, path.Base(path.Dir(w.Path)))
		}
	}
	slices.Sort(may)
	slices.Sort(has)
	if has = slices.Compact(has); !slices.Equal(may, has) {
		t.Errorf("it deletes %s, and may delete %s", strings.Join(has, ", "), strings.Join(may, ", "))
	}
}
