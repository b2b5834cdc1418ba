//go:build lab && linux

package teardown

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// TestServesOn has a gateway that a node runs. Its consent is given and taken back,
// which touches nothing of it; then it is deleted. It answers for its zone, and leads
// the laptop into the LAN, as before, and its Pod comes back as the same node.
//
// REQ: TD-01, LC-05
func TestServesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	g := p.newGateway()
	maps.Copy(g.spec(), labtest.Object{
		"routes": labtest.Object{"lan": []any{"192.168.10.0/24"}},
		"pod":    labtest.Object{"sysctls": []any{labtest.Object{"name": "net.ipv4.ip_forward", "value": "1"}}},
	})
	g.spec()["dns"].(labtest.Object)["records"] = []any{labtest.Object{"name": "nas", "addresses": []any{lab.LANHost}}}
	p.declare(g)
	p.start()
	p.Background(func(ctx context.Context) { poll(ctx, func() bool { return p.sync(ctx, []*gateway{g}) }) })
	g.awaitSays(api.ReasonFreshRuntimeReady)
	node := g.online()
	if err := shared.headscale.Approve(t.Context(), node.ID, node.AvailableRoutes...); err != nil {
		t.Fatal(err)
	}
	g.wantService()

	receipts := g.receipts()
	for range 2 { // given, taken back, given again
		g.awaitFinalizer(true)
		g.mustPatch(retain)
		g.awaitFinalizer(false)
		g.awaitSays(api.ReasonFreshRuntimeReady)
		g.mustPatch(`{"spec":{"deletionPolicy":"Delete"}}`)
	}
	g.awaitFinalizer(true)
	g.mustPatch(retain)
	g.awaitFinalizer(false)
	wantSame(p.World, "the records", receipts, g.receipts())

	objects, from := g.objects(), len(p.Tap.Writes())
	g.delete()
	g.awaitGone()
	g.wantService()
	if now := g.objects(); !slices.Equal(slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(objects))) {
		t.Errorf("there are %v, and were %v", now, objects)
	}
	pod := g.AwaitReady(g.Namespace, g.name+"-0")
	if err := shared.person.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	g.AwaitPod(g.Namespace, pod.Name, "is another one, and ready", func(now *corev1.Pod) error {
		if now.UID == pod.UID {
			return errors.New("it is the same")
		}
		return labtest.Ready(now)
	})
	if now := g.online(); now.ID != node.ID || now.NodeKey != node.NodeKey || !slices.Equal(now.Addresses, node.Addresses) {
		t.Errorf("it came back as %+v, and was %+v", now, node)
	}
	g.wantService()
	wantSame(p.World, "the records", receipts, g.receipts())
	for _, w := range p.Tap.Writes()[from:] {
		t.Logf("after its deletion: %s %s", w.Method, w.Path)
		if w.Method == "DELETE" || w.Server == labtest.TheHeadscale {
			t.Errorf("the minter has sent %s %s", w.Method, w.Path)
		}
	}
}

// receipts are what the minter has recorded, with the revisions.
func (g *gateway) receipts() map[string]string {
	g.Helper()
	all := g.objects()
	maps.DeleteFunc(all, func(name, _ string) bool {
		return name != "Secret/"+api.AuthSecretName(g.name) && name != "ConfigMap/"+api.AuthReceiptName(g.name) && name != "ConfigMap/"+api.FreshName(g.name)
	})
	const records = 3
	if len(all) != records {
		g.Errorf("the records are %v", all)
	}
	return all
}

func (g *gateway) awaitFinalizer(want bool) {
	g.Helper()
	g.Await(fmt.Sprintf("the finalizer is there: %t", want), func(context.Context) error {
		if f := g.cr().Finalizers; slices.Contains(f, api.FinalizerTeardown) != want {
			return fmt.Errorf("finalizers %v", f)
		}
		return nil
	})
}

// online is the gateway's node, once it is online.
func (g *gateway) online() (n labtest.Node) {
	g.Helper()
	g.Await("the node is online", func(ctx context.Context) (err error) {
		if n, err = g.seen(ctx); err == nil && !n.Online {
			err = errors.New("it is offline")
		}
		return err
	})
	return n
}

// wantService asks for a name of the zone where somebody asks a gateway, and goes from
// the laptop into the LAN, to which there is no other way.
func (g *gateway) wantService() {
	g.Helper()
	pod := g.AwaitReady(g.Namespace, g.name+"-0")
	spec := g.spec()
	for _, server := range []struct{ space, address string }{
		{lab.OnNode, spec["dns"].(labtest.Object)["clusterIP"].(string)},
		{lab.OnLAN, spec["loadBalancerIP"].(string)},
		{lab.OnLaptop, g.online().Addresses[0]},
	} {
		g.Await("the zone is answered at "+server.address, func(ctx context.Context) error {
			m, err := g.Ask(ctx, server.space, "udp", server.address, "nas."+g.name+".example", dns.TypeA)
			if err == nil && (len(m.Answer) != 1 || !strings.Contains(m.Answer[0].String(), lab.LANHost)) {
				err = fmt.Errorf("%s %v", dns.RcodeToString[m.Rcode], m.Answer)
			}
			return err
		})
	}
	g.Await("the laptop reaches the LAN through the gateway", func(ctx context.Context) error {
		seen, err := g.Get(ctx, lab.OnLaptop, "http://"+lab.LANHost+"/")
		if err != nil {
			return err
		}
		if host, _, err := net.SplitHostPort(strings.TrimSpace(seen)); err != nil || host != pod.Status.PodIP {
			return fmt.Errorf("the LAN host sees %q, want %s", seen, pod.Status.PodIP)
		}
		return nil
	})
}
