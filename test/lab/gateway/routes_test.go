//go:build lab && linux

package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/test/testbed/lab"
)

// lanURL is the host in the LAN, which answers with the address of who asks.
const lanURL = "http://" + lab.LANHost + "/"

// routes shows that the laptop's way into the LAN is the approved route, by its
// absence first.
func (g *gateway) routes() {
	pod := g.AwaitReady(namespace, g.podName())
	for what, url := range map[string]string{
		"the LAN host":           lanURL,
		"the Pod":                "http://" + net.JoinHostPort(pod.Status.PodIP, "8080") + "/healthz",
		"the load balancer":      "http://10.99.0.53:53/",
		"the cluster's DNS":      "http://10.96.0.53:53/",
		"the node":               "https://" + lab.NodeAddress + ":6443/readyz",
		"the node on its side":   "https://" + lab.LaptopGateway + ":6443/readyz",
		"the node in the LAN":    "https://" + lab.LANGateway + ":6443/readyz",
		"the API in the cluster": "https://" + lab.APIService + "/readyz",
	} {
		if body, err := g.Get(g.Context(), lab.OnLaptop, url); err == nil || !unreachable(err) {
			g.Errorf("%s can be reached from the laptop: %q, %v", what, body, err)
		}
	}

	n := g.online()
	if err := g.headscale.Approve(g.Context(), n.ID, n.AvailableRoutes...); err != nil {
		g.Fatal(err)
	}
	g.Await("the laptop reaches the LAN host, which sees the gateway", func(ctx context.Context) error {
		seen, err := g.Get(ctx, lab.OnLaptop, lanURL)
		if err != nil {
			return err
		}
		if host, _, err := net.SplitHostPort(strings.TrimSpace(seen)); err != nil || host != pod.Status.PodIP {
			return fmt.Errorf("the LAN host sees %q, want %s", seen, pod.Status.PodIP)
		}
		return nil
	})
	g.Await("the laptop asks the address that the zone names", func(ctx context.Context) error {
		_, err := g.Ask(ctx, lab.OnLaptop, "udp", "10.99.0.53", "nas.lab.example", dns.TypeA)
		return err
	})
}

// unreachable reports whether nobody answered, not even with a refusal.
func unreachable(err error) bool {
	var e net.Error
	return strings.Contains(err.Error(), "network is unreachable") || errors.As(err, &e) && e.Timeout()
}
