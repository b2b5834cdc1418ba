//go:build lab && linux

package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/miekg/dns"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// follows writes the next zone as the minter does: the kubelet swaps the projected
// directory, and CoreDNS takes it up where it is. Git's zone, applied again and
// even by force, changes nothing.
//
// REQ: PD-07, DN-12
func (g *gateway) follows() {
	maps := g.asMinter().CoreV1().ConfigMaps(namespace)
	live, err := maps.Get(g.Context(), api.CoreDNSName(g.name), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	zone := strings.Replace(live.Data[api.DataZone], "hostmaster.invalid. 1 ", "hostmaster.invalid. 2 ", 1)
	live.Data[api.DataZone] = zone + "camera.lab.example. 30 IN A 192.168.10.9\n"
	live.Annotations[api.AnnotationDNSSerial] = "2"
	if _, err := maps.Update(g.Context(), live, metav1.UpdateOptions{}); err != nil {
		g.Fatal(err)
	}
	camera := func(ctx context.Context) error {
		answer, err := g.Ask(ctx, lab.OnLAN, "udp", "10.99.0.53", "camera.lab.example", dns.TypeA)
		if err == nil && (len(answer.Answer) != 1 || !strings.HasSuffix(answer.Answer[0].String(), "\t192.168.10.9")) {
			err = fmt.Errorf("got %v", answer)
		}
		return err
	}
	g.Await("the next zone is answered", camera)
	if r := g.apply("--force-conflicts"); r.Code != 0 {
		g.Errorf("Git's zone: exit code %d\n%s", r.Code, r.Stderr)
	}
	again, err := g.Client(apiserver.Admin).CoreV1().ConfigMaps(namespace).Get(g.Context(), live.Name, metav1.GetOptions{})
	if err != nil || again.Data[api.DataZone] != live.Data[api.DataZone] {
		g.Errorf("Git's zone has replaced the live one: %v", err)
	}
	pod := g.AwaitReady(namespace, g.podName())
	if c := labtest.Container(pod, "coredns"); c.RestartCount != 0 {
		g.Errorf("CoreDNS was restarted %d times", c.RestartCount)
	}
}
