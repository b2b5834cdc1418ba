//go:build lab && linux

package argocd

import (
	"testing"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

const (
	namespace = api.DefaultOperatorNamespace
	name      = "lab-gw"
)

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) {
	labtest.MainWithMinter(m, lab.Options{Parts: []lab.Part{lab.Node, lab.Headscale, lab.ArgoCD}}, &theLab)
}
