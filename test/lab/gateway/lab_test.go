//go:build lab && linux

package gateway

import (
	"sync"
	"testing"

	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) { labtest.Main(m, lab.Options{}, &theLab) }

var install sync.Once

// world is the lab with everything in it that a cluster has before its first
// gateway.
func world(t *testing.T) *labtest.World {
	t.Helper()
	w := labtest.New(t, theLab)
	install.Do(func() {
		w.Install()
		w.TrustHeadscale()
	})
	return w
}

// overlay is what the home lab needs to be at home in this one: Headscale's
// certificate, since it is signed by nobody, and forwarding, since a new network
// namespace forwards nothing. The rest is there to be looked at.
const overlay = `
patches:
- target: {kind: Tailnet}
  patch: |-
    - {op: add, path: /spec/caBundleConfigMapRef, value: {name: headscale-ca, key: ca.crt}}
- target: {kind: TailnetGateway}
  patch: |-
    - {op: add, path: /spec/pod, value: {
        sysctls: [{name: net.ipv4.ip_forward, value: "1"}],
        resources: {tailscale: {limits: {memory: 128Mi}}, coredns: {limits: {memory: 96Mi}}},
        tolerations: [{key: lab, operator: Exists}]}}
`
