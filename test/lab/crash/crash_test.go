//go:build lab && linux

package crash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tap"
)

// TestUndisturbed takes a gateway to Ready. Its writes are those of the table, and
// before each of a gateway's the minter has read all that the decision rests on.
//
// REQ: LC-08, LC-09, LC-21, MT-06, MT-09
func TestUndisturbed(t *testing.T) {
	t.Parallel()
	g := newPlace(world(t), labtest.Ways{}).newGateway(running)
	g.Start()
	began := time.Now()
	g.commit()
	g.awaitReady()
	t.Logf("Ready after %.1f s", time.Since(began).Seconds())
	g.wantKeys(1, 0)
	writes := g.writes()
	names := g.named(writes)
	for i, name := range names {
		t.Logf("%2d %s", i+1, name)
		if !listed(name) && !slices.Contains(slow, name) {
			t.Errorf("the table has no %s", name)
		}
		if writes[i].Status < 200 || writes[i].Status > 299 {
			t.Errorf("%s: HTTP %d", name, writes[i].Status)
		}
	}
	if got := taken(names, gateways); !slices.Equal(got, bootstrap()) {
		t.Errorf("the gateway's steps are %v", got)
	}
	if got := taken(names, tailnets); !slices.Equal(got, tailnetSteps) {
		t.Errorf("the Tailnet's steps are %v", got)
	}
	for _, s := range statuses {
		if s.sure && !slices.Contains(names, s.write) {
			t.Errorf("no %s", s.write)
		}
	}
	g.readBefore(writes)
}

// whose tells steps of gateways from those of Tailnets.
type whose bool

const (
	gateways whose = false
	tailnets whose = true
)

// taken are the steps among writes: what is no status.
func taken(names []string, of whose) []string {
	var steps []string
	for _, name := range names {
		if !isStatus(name) && whose(strings.HasPrefix(name, onTailnet)) == of {
			steps = append(steps, name)
		}
	}
	return steps
}

// readBefore wants reads of gateway, Tailnet, registry, state Secret, and of the
// evidence of a key between each step of the gateway's and the write before it.
func (g *gateway) readBefore(writes []tap.Write) {
	g.Helper()
	const custom = "/apis/" + api.Group + "/" + api.Version + "/"
	core := "/api/v1/namespaces/" + g.Namespace + "/"
	want := []string{
		custom + "tailnetgateways/" + g.name, custom + "tailnets/" + g.tailnet,
		core + "configmaps/" + api.BindingsName, core + "secrets/" + api.StateSecretName(g.name), core + "secrets/" + api.AuthSecretName(g.name),
		core + "configmaps/" + api.AuthReceiptName(g.name), core + "configmaps/" + api.FreshName(g.name),
	}
	var reads []string
	for _, w := range writes {
		reads = append(reads, w.Reads...)
		name := g.what(w)
		if strings.HasPrefix(name, onTailnet) {
			continue // somebody else's, at the same time
		}
		for _, path := range want {
			if !isStatus(name) && !slices.Contains(reads, path) {
				g.Errorf("%s without a look at %s", name, path)
			}
		}
		reads = nil
	}
}

// TestCrash ends the minter at every write of the table, before it and after it, and
// starts another one.
//
// REQ: LC-08, LC-10, LC-12, LC-20, LC-22, MT-02, MT-04, ST-03 (B45, B46)
func TestCrash(t *testing.T) {
	t.Parallel()
	names := slices.Concat(tailnetSteps, bootstrap())
	for _, s := range statuses {
		names = append(names, s.write)
	}
	for _, name := range names {
		for _, cut := range []tap.Cut{tap.Before, tap.After} {
			t.Run(name+"/"+cut.String(), func(t *testing.T) { crash(t, name, cut, false) })
			if name == string(verdict.OpenEntry) {
				t.Run(name+" beside another/"+cut.String(), func(t *testing.T) { crash(t, name, cut, true) })
			}
		}
	}
	t.Cleanup(func() { outcomes.tell(t) })
}

// crash is one bootstrap with one crash.
func crash(t *testing.T, name string, cut tap.Cut, neighbour bool) {
	t.Parallel()
	var target atomic.Pointer[gateway]
	var met atomic.Bool
	g := newPlace(world(t), labtest.Ways{Judge: func(w tap.Write) tap.Cut {
		if target.Load().what(w) == name && met.CompareAndSwap(false, true) {
			return cut
		}
		return tap.Pass
	}}).newGateway(running)
	target.Store(g)
	if neighbour {
		g.seed()
	}
	g.Start()
	began := time.Now()
	g.commit()
	if !g.awaitCut(&met, isSure(name)) {
		outcomes.add(name, cut, "not met", 0)
		return
	}
	writes := g.named(g.done())
	last, state := latest(taken(writes, gateways)), g.state()
	sent := len(g.writes())
	if got, want := len(g.keys()), keysAfter(last); got != want {
		t.Errorf("after %s there are %d keys, want %d", last, got, want)
	}
	g.Again()

	way := then(last)
	g.goOn(way)
	sequel := g.writes()[sent:]
	after := g.named(successful(sequel))
	if got, want := taken(after, gateways), next(last); !slices.Equal(got, want) {
		t.Errorf("after %s the next process took the steps %v, want %v", last, got, want)
	}
	if got, want := taken(after, tailnets), nextOfTailnet(latest(taken(writes, tailnets))); !slices.Equal(got, want) {
		t.Errorf("and of the Tailnet %v, want %v", got, want)
	}
	for _, w := range g.named(sequel) {
		if !listed(w) && !slices.Contains(more, w) && !slices.Contains(slow, w) {
			t.Errorf("the table has no %s", w)
		}
	}
	if same := state == "" || state == g.state(); same != (way == goesOn || state == "") {
		t.Errorf("it %s: the state Secret is the same: %t", way, same)
	}
	g.wantNode()
	g.wantNeighbour(neighbour)
	g.wantSilent()
	outcomes.add(name, cut, way, time.Since(began))
}

func isSure(name string) bool {
	for _, s := range statuses {
		if s.write == name {
			return s.sure
		}
	}
	return true
}

// done are the writes that the servers have done.
func (g *gateway) done() []tap.Write { return successful(g.writes()) }

func successful(writes []tap.Write) []tap.Write {
	return slices.DeleteFunc(slices.Clone(writes), func(w tap.Write) bool { return w.Status < 200 || w.Status > 299 })
}

// latest is the last one; "" where there is none.
func latest(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

func nextOfTailnet(last string) []string {
	if last == tailnetSteps[1] {
		return nil
	}
	return tailnetSteps
}

// awaitCut waits until the minter was killed at the write or, unless that is sure to
// come, is done without it.
func (g *gateway) awaitCut(met *atomic.Bool, sure bool) (cut bool) {
	g.Helper()
	g.Await("the minter is killed", func(ctx context.Context) error {
		switch err := g.isReady(ctx); {
		case g.Tap.Dead():
			cut = true
		case met.Load():
			return errors.New("it is just being killed")
		case sure && err == nil:
			return errors.New("it is ready without that")
		default:
			return err
		}
		return nil
	})
	return cut
}

func (g *gateway) isReady(ctx context.Context) error {
	c, err := g.ready(ctx)
	if err == nil && c.Reason != api.ReasonFreshRuntimeReady {
		err = fmt.Errorf("%s: %s", c.Reason, c.Message)
	}
	return err
}

func (g *gateway) awaitReady() {
	g.Helper()
	g.Await("it is ready", g.isReady)
}

// neighbours are an entry of another gateway's in the registry.
var neighbours = map[string]string{
	"next_door_gateway_uid": "0f6bb1b4-8a1c-4a5c-9d3e-1c1f0c1a2b3c", "next_door_state_uid": "7a0d9a2e-1b2c-4d3e-8f90-112233445566",
	"next_door_phase": "complete",
}

// seed makes the registry before the minter does, so that its first entry is a swap
// and no creation.
func (g *gateway) seed() {
	g.Helper()
	m := &corev1.ConfigMap{ObjectMeta: g.Meta(api.BindingsName), Data: neighbours}
	if _, err := g.Client(apiserver.Minter(g.Namespace)).CoreV1().ConfigMaps(g.Namespace).Create(g.Context(), m, metav1.CreateOptions{}); err != nil {
		g.Fatal(err)
	}
}

// wantNeighbour wants the other's entry as it was.
func (g *gateway) wantNeighbour(seeded bool) {
	g.Helper()
	var m corev1.ConfigMap
	if _, err := g.Find(g.Context(), api.BindingsName, &m); err != nil {
		g.Fatal(err)
	}
	for key, want := range neighbours {
		if got := m.Data[key]; seeded && got != want {
			g.Errorf("%s is %q, and was %q", key, got, want)
		}
	}
}

// wantNode wants one node of the gateway's name at Headscale, and no more.
func (g *gateway) wantNode() {
	g.Helper()
	if _, err := shared.headscale.Node(g.Context(), g.name); err != nil {
		g.Error(err)
	}
}
