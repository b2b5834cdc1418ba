//go:build lab && linux

package flux

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// run is the gateways of a test, each with its own pair of Kustomizations.
type run struct {
	*labtest.World
	home  *pair // the example as it is
	attic *pair // in other units than the server stores
	shed  *pair // with a Secret of somebody else in its way

	lost  map[string]types.UID // of the attic that is deleted by hand, while it was whole
	nodes []string             // its nodes at Headscale
}

// TestFlux takes gateways that Flux applies from their first commits to their end.
func TestFlux(t *testing.T) {
	w := labtest.New(t, theLab)
	w.Install()
	w.InstallShipped()
	home := homeLab(w, w.Repository(repository, "health/flux"), watch(w))
	r := &run{World: w, home: home, attic: home.another("attic", 60, units), shed: home.another("shed", 61, "")}
	for _, step := range []struct {
		name string
		do   func(*run)
	}{
		{"begins with a commit", (*run).begins},
		{"is written by nobody at rest", (*run).rests},
		{"without a minter", (*run).unattended},
		{"beside one that is blocked", (*run).beside},
		{"forced", (*run).forces},
		{"deleted by hand, with consent", (*run).consents},
		{"suspended", (*run).suspended},
		{"changed in Git where it must not be", (*run).refused},
		{"changed by somebody", (*run).drifts},
		{"without an address", (*run).noAddress},
		{"out of Git, and pruned", (*run).prunes},
		{"made again by Flux", (*run).reborn},
		{"without a Pod, beside one that is moved", (*run).moves},
		{"left by its Kustomizations", (*run).leaves},
		{"removed from Git", (*run).ends},
		{"forced in step one", (*run).forcesInputs},
	} {
		done := t.Run(step.name, func(t *testing.T) { step.do(r.enter(t)) })
		if !done {
			t.FailNow()
		}
	}
}

// enter makes what follows part of a subtest.
func (r *run) enter(t *testing.T) *run {
	r.World = r.In(t)
	for _, p := range []*pair{r.home, r.attic, r.shed} {
		p.World, p.git = r.World, p.git.In(r.World)
	}
	return r
}

// units are B13's: what a person writes in other units than the server stores.
const units = `    resources:
      tailscale: {requests: {cpu: "0.5", memory: 1000M}, limits: {cpu: 1000m, memory: 1024Mi}}
      coredns: {requests: {}, limits: {}}
`

// quantities is how many those are.
const quantities = 4
