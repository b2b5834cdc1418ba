//go:build lab && linux

package walk

import (
	"testing"

	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// Each walk has a cluster of its own, where nobody has been before.

func TestKubectl(t *testing.T) { arrive(t, kubectl) }

func TestFlux(t *testing.T) { arrive(t, flux, lab.Flux) }

func TestArgoCD(t *testing.T) { arrive(t, argoCD, lab.ArgoCD) }

// arrive does a walk in a lab with the parts that it needs beside a node and Headscale.
func arrive(t *testing.T, walk string, parts ...lab.Part) {
	t.Helper()
	w := labtest.StartWithMinter(t, lab.Options{Parts: append(parts, lab.Node, lab.Headscale)})
	newReader(w).walks(walk)
}
