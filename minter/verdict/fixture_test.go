package verdict_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// The gateway of these tests, as it stands in Git.
const (
	gatewayText = `
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata: {name: lab-gw}
spec:
  suspend: false
  tailnetRef: {name: home}
  tags: ["tag:gateway"]
  routes: {lan: [192.168.10.0/24]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53}
`
	tailnetText = `
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home}
spec: {controlURL: https://headscale.example}
`
	hostsText = `
apiVersion: v1
kind: ConfigMap
metadata: {name: tailnet-dns-hosts, namespace: tsunaro-system, labels: {tsunaro.io/tailnet: home}}
data: {hosts: "192.168.10.7 app.lab.example\n"}
`
	namespace = "tsunaro-system"
)

// start is when each test begins.
var start = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func decoded[T any](t testing.TB, text string) *T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return &v
}

// renderOf renders texts as they stand.
func renderOf(t testing.TB, gateway, tailnet, hosts string) observe.Render {
	t.Helper()
	var source *corev1.ConfigMap
	if hosts != "" {
		source = decoded[corev1.ConfigMap](t, hosts)
	}
	return observe.RenderOf(decoded[v1alpha1.TailnetGateway](t, gateway), decoded[v1alpha1.Tailnet](t, tailnet), source, nil)
}

// rendered is the rendering of the texts above, made once: nobody changes it.
var rendered = sync.OnceValue(func() observe.Render {
	var t testing.T
	return renderOf(&t, gatewayText, tailnetText, hostsText)
})

// uid is the n-th UID.
func uid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func gatewayIn(w observe.World) *v1alpha1.TailnetGateway {
	g, _ := w.Gateway.Get()
	return g
}
