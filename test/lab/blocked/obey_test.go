//go:build lab && linux

package blocked

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// remedy is where a message has the command to copy.
var remedy = regexp.MustCompile("remove it: `([^`]*)`")

// commandIn is the command of a message, or "".
func commandIn(message string) string {
	if m := remedy.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// obey runs the command of a message as it stands. No shell is between: what would
// need one is no command to copy into any other either.
func obey(w *labtest.World, command string) {
	w.Helper()
	args := strings.Fields(command)
	switch {
	case len(args) > 1 && args[0] == "kubectl":
		w.Must(apiserver.Person, "", args[1:]...)
	case len(args) > 1 && args[0] == "headscale":
		if err := w.Lab.Tailnet.CLI(w.Context(), nil, args[1:]...); err != nil {
			w.Fatal(err)
		}
	default:
		w.Fatalf("no command: %q", command)
	}
}

// goOn does what is due until the gateway is complete: it obeys the messages, and
// is the engine as soon as the nine may be created. It returns the commands.
func (g *gateway) goOn() (obeyed []string) {
	g.Helper()
	last := ""
	for {
		s := g.await("goes on", func(s seen) error {
			message := s.condition(api.ConditionReady).Message
			if isComplete(s) || appliable(s) || commandIn(message) != "" && message != last {
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
			command := commandIn(last)
			if slices.Contains(obeyed, command) {
				g.Fatalf("told twice: %q", command)
			}
			obey(g.World, command)
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
