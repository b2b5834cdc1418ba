//go:build lab && linux

package blocked

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// goOn does what is due until the gateway is complete: it obeys the messages, and
// is the engine as soon as the nine may be created. It returns the commands.
func (g *gateway) goOn() (obeyed []string) {
	g.Helper()
	last := ""
	for {
		s := g.await("goes on", func(s seen) error {
			message := s.condition(api.ConditionReady).Message
			if isComplete(s) || appliable(s) || labtest.Remedy(message) != "" && message != last {
				return nil
			}
			return errors.New("it waits, and nothing is to be done")
		})
		switch last = s.condition(api.ConditionReady).Message; {
		case isComplete(s):
			return obeyed
		case appliable(s):
			g.engine()
			g.await("has seen the nine", func(s seen) error {
				if appliable(s) {
					return errors.New("it misses one")
				}
				return nil
			})
		default:
			command := labtest.Remedy(last)
			if slices.Contains(obeyed, command) {
				g.Fatalf("told twice: %q", command)
			}
			g.Obey(command)
			obeyed = append(obeyed, command)
			g.wake()
		}
	}
}

// appliable reports whether the engine's objects are awaited.
func appliable(s seen) bool {
	reason := s.condition(api.ConditionReady).Reason
	return (reason == api.ReasonAwaitingResources || reason == api.ReasonProvisioning) &&
		s.condition(api.ConditionBound).Reason == api.ReasonBindingOpen &&
		s.condition(api.ConditionInSync).Reason == api.ReasonResourcesMissing
}

// wakes numbers them.
var wakes atomic.Int64

// wake makes the minter look now at what nobody may watch, Secrets and Headscale:
// it would within seconds by itself.
func (g *gateway) wake() { g.Helper(); g.touch("tailnetgateways", g.name) }

// touch changes a custom resource in what means nothing.
func (g *gateway) touch(resource, name string) {
	g.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"lab.example/wake":%q}}}`, fmt.Sprint(wakes.Add(1)))
	_, err := g.Dynamic(apiserver.Admin).Resource(custom(resource)).Patch(g.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		g.Fatal(err)
	}
}
