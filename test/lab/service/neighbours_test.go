//go:build lab && linux

package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// How many gateways are blocked, and how many have a Headscale that is silent: more
// than the minter looks at side by side.
const (
	blockedOnes = 6
	silentOnes  = 6
)

// stalled is longer than the minter waits for a Headscale before it counts as silent:
// whoever is woken just then may have to wait as long.
const stalled = 8 * time.Second

// neighbours changes the hosts of a gateway among others of which some are refused,
// and some wait for a Headscale that takes connections no more and answers nothing.
//
// REQ: UP-09
func (g *gateway) neighbours() {
	before := g.swappedAfter("alone")
	for n := range blockedOnes {
		nb := g.neighbour(fmt.Sprintf("taken-%d", n), "home", 60+n)
		if err := nb.Put(g.Context(), apiserver.Person, object{
			"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object{"name": nb.name, "namespace": g.namespace},
		}, nb.cr); err != nil {
			g.Fatal(err)
		}
		nb.says(api.ConditionReady, api.ReasonFreshBlocked, "ServiceAccount/NS/GW ")
	}
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
	beside := g.swappedAfter("beside-blocked")
	silent := g.silent()
	late := g.swappedAfter("beside-silent")
	for _, nb := range silent {
		nb.says(api.ConditionReady, api.ReasonEvidenceUnavailable)
		nb.wake()
	}
	later := g.swappedAfter("beside-silent-again")
	g.Run("nft", "delete", "table", "ip", "silent")
	g.Logf("from a change of hosts to the live zone: alone %s, beside %d blocked gateways %s, beside %d more whose Headscale has just become silent %s, and later %s",
		ms(before), blockedOnes, ms(beside), silentOnes, ms(late), ms(later))
	if late > stalled || later > stalled/2 {
		g.Errorf("the silent Headscale of others holds this gateway up")
	}
	g.World.Must(apiserver.Person, "", "delete", "tailnetgateways", "--field-selector=metadata.name!="+g.name+",metadata.name!=free-gw")
}

// swappedAfter is how long a change of hosts takes to the live zone.
func (g *gateway) swappedAfter(name string) time.Duration {
	g.Helper()
	began := time.Now()
	g.host(name, "192.168.10.30")
	g.Await(name+" is in the zone", func(context.Context) error {
		if _, ok := records(g.zone.latest().data)[name+"."+g.zoneName()+"."]; !ok {
			return errors.New("it is not")
		}
		return nil
	})
	live, _ := g.zone.first(func(z zoneState) bool {
		_, ok := records(z.data)[name+"."+g.zoneName()+"."]
		return ok
	})
	return live.at.Sub(began)
}

// neighbour is another gateway of the namespace, with addresses of its own.
func (g *gateway) neighbour(name, tailnet string, n int) *gateway {
	return &gateway{World: g.World, name: name, namespace: g.namespace, cr: object{
		"apiVersion": api.APIVersion, "kind": api.KindTailnetGateway, "metadata": object{"name": name},
		"spec": object{
			"suspend": false, "tailnetRef": object{"name": tailnet}, "tags": []any{"tag:gateway"},
			"routes": object{"lan": []any{fmt.Sprintf("192.168.%d.0/24", n)}}, "tailnetLBCIDR": "10.99.0.0/24",
			"loadBalancerIP": fmt.Sprintf("10.99.0.%d", n),
			"dns":            object{"zone": name + ".example", "serviceName": name + "-dns", "clusterIP": labtest.ServiceIP(n)},
		},
	}}
}

// silent makes gateways of a Tailnet, and then its Headscale silent: what is sent to
// its port is dropped. Each of them has begun to ask it when this returns.
func (g *gateway) silent() (all []*gateway) {
	g.Helper()
	const port = "4443"
	g.Run("nft", "add table ip silent; add chain ip silent out { type nat hook output priority -100 ; }; "+
		"add rule ip silent out ip daddr "+lab.HeadscaleAddress+" tcp dport "+port+" dnat to "+lab.HeadscaleAddress+":443")
	hosts := object{
		"apiVersion": "v1", "kind": "ConfigMap", "data": object{api.DefaultHostsKey: ""},
		"metadata": object{"name": "silent-hosts", "namespace": g.namespace, "labels": object{api.LabelTailnet: "silent"}},
	}
	tailnet := object{
		"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": object{"name": "silent"},
		"spec": object{
			"controlURL": lab.HeadscaleURL, "apiURL": lab.HeadscaleURL + ":" + port,
			"caBundleConfigMapRef": object{"name": "headscale-ca"}, "dns": object{"hostsConfigMapRef": object{"name": "silent-hosts"}},
		},
	}
	if err := g.Put(g.Context(), apiserver.Person, hosts, tailnet); err != nil {
		g.Fatal(err)
	}
	for n := range silentOnes {
		nb := g.neighbour(fmt.Sprintf("silent-%d", n), "silent", 80+n)
		nb.tailnet, nb.hosts = tailnet, hosts
		nb.commit()
		all = append(all, nb)
	}
	for _, nb := range all {
		nb.says(api.ConditionReady, api.ReasonAwaitingResources)
	}
	g.Run("nft", "add chain ip silent drops { type filter hook output priority -300 ; }; add rule ip silent drops tcp dport "+port+" drop")
	busy := func(ctx context.Context) error {
		samples, err := g.minter().Metrics(ctx, g.World)
		if n := samples[`controller_runtime_active_workers{controller="tailnetgateway"}`]; err == nil && n < 4 {
			err = fmt.Errorf("%v passes are under way", n)
		}
		return err
	}
	for _, nb := range all {
		nb.wake()
	}
	g.Await("the minter asks the silent Headscale", busy)
	return all
}
