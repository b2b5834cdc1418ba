//go:build lab && linux

package minter

import (
	"context"
	"testing"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

const namespace = api.DefaultOperatorNamespace

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) { labtest.MainWithMinter(m, lab.Options{}, &theLab) }

// logs are printed where a test failed.
func logs(w *labtest.World) {
	w.Cleanup(func() {
		if !w.Failed() {
			return
		}
		r, err := w.Lab.Access.Kubectl(context.Background(), apiserver.Admin, "", "logs", "--namespace="+namespace, "--selector=app.kubernetes.io/name=tsunaro-minter", "--tail=60", "--prefix")
		w.Logf("the minter says (%v):\n%s%s", err, r.Stdout, r.Stderr)
	})
}

// install installs the product as README says, with what a user has to bring:
// Headscale's certificate and a key of its API.
func install(w *labtest.World) {
	w.Helper()
	logs(w)
	w.Install()
	w.InstallShipped()
}
