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

// overlay is what the home lab needs to be at home in this one. The rest is there to be
// looked at.
const overlay = labtest.HomeLayer + `    - {op: add, path: /spec/pod/resources, value: {tailscale: {limits: {memory: 128Mi}}, coredns: {limits: {memory: 96Mi}}}}
    - {op: add, path: /spec/pod/tolerations, value: [{key: lab, operator: Exists}]}
`
