//go:build lab && linux

package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// unfit is a gateway that asks for nothing that its node does not give anyway.
const unfit = `
patches:
- target: {kind: TailnetGateway}
  options: {allowNameChange: true}
  patch: |-
    - {op: replace, path: /metadata/name, value: unfit}
    - {op: replace, path: /spec/loadBalancerIP, value: 10.99.0.54}
    - {op: replace, path: /spec/dns/clusterIP, value: 10.96.0.54}
    - {op: replace, path: /spec/dns/serviceName, value: unfit-dns}
    - {op: replace, path: /spec/dns/zone, value: unfit.example}
`

// On a node that cannot route, the Pod stops before Tailscale starts, and its
// status tells what is missing.
//
// REQ: PD-02, PD-10
func TestPreflight(t *testing.T) {
	w := world(t)
	g := gateway{World: w, name: "unfit", headscale: w.Headscale(), manifest: w.Example("home-lab", unfit)}
	g.apply()
	g.bound()
	g.mint() // with everything else in its place
	g.AwaitPod(namespace, g.podName(), "stops without forwarding", func(pod *corev1.Pod) error {
		c := labtest.Container(pod, "kernel-preflight")
		for _, s := range []*corev1.ContainerStateTerminated{c.State.Terminated, c.LastTerminationState.Terminated} {
			if s != nil && s.ExitCode == 1 && strings.HasPrefix(s.Message, "preflight: /proc/sys/net/ipv4/ip_forward is not 1: enable IPv4 forwarding") {
				return nil
			}
		}
		return errors.New("no such end")
	})
	g.neverStarted()

	// A file in the device's place is what a node without the module looks like to
	// the kubelet.
	g.Run("touch", "/run/lab/no-device")
	g.Run("mount", "--bind", "/run/lab/no-device", "/dev/net/tun")
	defer g.Run("umount", "/dev/net/tun")
	if err := g.Client(apiserver.Person).CoreV1().Pods(namespace).Delete(g.Context(), g.podName(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	g.Await("the kubelet misses the device", func(ctx context.Context) error {
		events, err := g.Client(apiserver.Admin).CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=FailedMount,involvedObject.name=" + g.podName()})
		if err != nil {
			return err
		}
		for _, e := range events.Items {
			if strings.Contains(e.Message, "/dev/net/tun is not a character device") {
				return nil
			}
		}
		return fmt.Errorf("%d other events", len(events.Items))
	})
	g.neverStarted()
}

// neverStarted checks that no container of the gateway itself has run.
func (g *gateway) neverStarted() {
	g.Helper()
	pod, err := g.Client(apiserver.Admin).CoreV1().Pods(namespace).Get(g.Context(), g.podName(), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	for _, name := range []string{"tailscale", "coredns"} {
		if c := labtest.Container(pod, name); c.ContainerID != "" {
			g.Errorf("%s has run: %+v", name, c)
		}
	}
}
