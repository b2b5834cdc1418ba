//go:build linux

package main

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/completed"
)

const tailnetName = "home"

func gatewayName(i int) string { return fmt.Sprintf("gw-%d", i) }

// fleet is the gateways and their hosts source.
type fleet struct {
	size, names int
	hosts       *corev1.ConfigMap // as the API server has it
	versions    []int             // of each gateway's names
}

// text is the hosts source: what a lab of the size has, in the order of its gateways.
func (f *fleet) text() string {
	var b strings.Builder
	for i, v := range f.versions {
		fmt.Fprintf(&b, "# %s\n", gatewayName(i))
		for n := range f.names {
			fmt.Fprintf(&b, "10.%d.%d.%d host-%d.%s.example\n", 128+i>>8, i&255, 1+(v+n)%250, n, gatewayName(i))
		}
	}
	return b.String()
}

// populate makes the Tailnet and its gateways.
func (c *cluster) populate(ctx context.Context, o options) (*fleet, error) {
	f := &fleet{size: o.gateways, names: o.names, versions: make([]int, o.gateways)}
	tailnet := &v1alpha1.Tailnet{
		ObjectMeta: metav1.ObjectMeta{Name: tailnetName},
		Spec: v1alpha1.TailnetSpec{
			ControlURL: "https://headscale.example", APIURL: v1alpha1.URL(c.headscale.URL),
			CABundleConfigMapRef: &v1alpha1.CABundleRef{Name: "headscale-ca"},
		},
	}
	f.hosts = &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: api.DefaultHostsName, Namespace: namespace, Labels: map[string]string{api.LabelTailnet: tailnetName}},
		Data:       map[string]string{api.DefaultHostsKey: f.text()},
	}
	for _, object := range []client.Object{tailnet, f.hosts,
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: api.DefaultBootstrapName, Namespace: namespace},
			Data:       map[string][]byte{api.DefaultBootstrapKey: []byte(c.headscale.CreateAPIKey(24 * time.Hour))},
		},
		&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "headscale-ca", Namespace: namespace},
			Data:       map[string]string{api.DefaultCAKey: string(c.headscale.CA())},
		},
	} {
		if err := c.admin.Create(ctx, object); err != nil {
			return nil, err
		}
	}
	return f, c.bootstrap(ctx, f, completed.Maker{Client: c.admin, Namespace: namespace, Tailnet: tailnet, Hosts: f.hosts})
}

// bootstrap makes the gateways, several at a time.
func (c *cluster) bootstrap(ctx context.Context, f *fleet, maker completed.Maker) error {
	const hands = 8
	var (
		work    = make(chan int)
		all     sync.WaitGroup
		mu      sync.Mutex
		entries = map[string]registry.Entry{}
		failed  error
	)
	for range hands {
		all.Go(func() {
			for i := range work {
				made, err := c.make(ctx, maker, i)
				mu.Lock()
				if err != nil {
					failed = err
				}
				entries[gatewayName(i)] = made.Entry
				mu.Unlock()
			}
		})
	}
	for i := range f.size {
		mu.Lock()
		stop := failed != nil
		mu.Unlock()
		if stop {
			break
		}
		work <- i
	}
	close(work)
	all.Wait()
	if failed != nil {
		return failed
	}
	return maker.Register(ctx, entries)
}

func (c *cluster) make(ctx context.Context, maker completed.Maker, i int) (completed.Made, error) {
	net := fmt.Sprintf("10.%d.%d", i>>8, i&255)
	maker.Address = func(string) string { return address(loadBalancers, i) }
	made, err := maker.Make(ctx, &v1alpha1.TailnetGateway{
		ObjectMeta: metav1.ObjectMeta{Name: gatewayName(i)},
		Spec: v1alpha1.TailnetGatewaySpec{
			Suspend: new(bool), TailnetRef: v1alpha1.GatewayTailnetRef{Name: tailnetName}, Tags: []v1alpha1.Tag{"tag:gateway"},
			Routes: v1alpha1.Routes{LAN: []v1alpha1.Prefix{v1alpha1.Prefix(net + ".0/26")}}, TailnetLBCIDR: v1alpha1.Prefix(net + ".64/26"),
			LoadBalancerIP: v1alpha1.IPv4(net + ".65"),
			DNS: v1alpha1.DNS{
				Zone: v1alpha1.Zone(gatewayName(i) + ".example"), ServiceName: v1alpha1.ServiceName(gatewayName(i) + "-dns"), ClusterIP: v1alpha1.IPv4(address(dnsServices, i)),
			},
		},
	}, i)
	if err == nil {
		c.headscale.AddNode(made.Node)
	}
	return made, err
}

// address is a cluster IP of the gateway's own, of which each has one in a row. No two
// rows are nearer than there are gateways.
func address(row byte, i int) string {
	return netip.AddrFrom4([4]byte{10, 96, row + byte(i>>8), byte(i)}).String()
}

// Rows of addresses.
const (
	dnsServices   = 64
	loadBalancers = 128
)
