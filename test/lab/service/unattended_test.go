//go:build lab && linux

package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// unattended stops the minter. What serves goes on serving, from the laptop's side of
// the tailnet too and through a restart of the Pod; the engine applies what Git says
// by then. A minter that comes back carries on.
//
// REQ: OP-01, PD-09
func (g *gateway) unattended() {
	before := g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
	node, err := shared.headscale.Node(g.Context(), g.name)
	if err != nil {
		g.Fatal(err)
	}
	g.minter().Stop(g.World)
	serial := g.zone.latest().Serial
	g.host("unattended", "192.168.10.40")
	g.set([]any{lanRoute}, "routes", "lan")
	g.engine()
	g.serves(node)

	was := g.AwaitReady(g.namespace, g.pod())
	g.must("", "delete", "pod", "GW-0", "--namespace=NS")
	g.AwaitPod(g.namespace, g.pod(), "is another one, and ready", func(p *corev1.Pod) error {
		if p.UID == was.UID {
			return errors.New("it is the same")
		}
		return labtest.Ready(p)
	})
	g.serves(node)
	now, err := shared.headscale.Node(g.Context(), g.name)
	if err != nil {
		g.Fatal(err)
	}
	if now.ID != node.ID || now.NodeKey != node.NodeKey {
		g.Errorf("it came back as %+v, and was %+v", now, node)
	}
	s, _, _ := shared.view.latest(g.name)
	if s.Generation == s.Status.ObservedGeneration || s.Status.ObservedGeneration != before.Generation || g.zone.latest().Serial != serial {
		g.Errorf("somebody has done the minter's work: serial %d, was %d; %v", g.zone.latest().Serial, serial, s)
	}

	g.minter().Start(g.World)
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.says(api.ConditionWorkloadCurrent, api.ReasonPodCurrent)
	g.says(api.ConditionRoutesInSync, api.ReasonApproved, "no longer wanted: "+moreRoute)
	g.says(api.ConditionDNSReady, api.ReasonDNSInSync, fmt.Sprintf("serial %d", serial+1))
	g.served("unattended", "192.168.10.40")
	g.zone.check(g.World)
}

// serves asks from the laptop, whose only way leads through the tailnet: the LAN, the
// zone at its address in the LAN, and at the node's own.
func (g *gateway) serves(node labtest.Node) {
	g.Helper()
	pod := g.AwaitReady(g.namespace, g.pod())
	g.Await("the laptop reaches the LAN by the gateway", func(ctx context.Context) error {
		seen, err := g.Get(ctx, lab.OnLaptop, "http://"+lab.LANHost+"/")
		if err == nil && !strings.HasPrefix(seen, pod.Status.PodIP+":") {
			err = fmt.Errorf("the LAN host sees %q, want %s", seen, pod.Status.PodIP)
		}
		return err
	})
	for _, server := range []string{"10.99.0.53", node.Addresses[0]} {
		g.Await("the laptop gets an answer from "+server, func(ctx context.Context) error {
			return g.answers(ctx, lab.OnLaptop, server, "nas", lab.LANHost)
		})
	}
}
