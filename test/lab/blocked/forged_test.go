//go:build lab && linux

package blocked

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
)

// forgery is the reason of conditions that a test writes itself.
const forgery = "Forged"

// forge writes successes into a status, as a person with kubectl can, and waits
// until nothing of that is left. Nothing else has changed: the status alone wakes
// the minter.
func (g *gateway) forge(types ...string) {
	g.Helper()
	before := g.await("has a status", func(seen) error { return nil })
	list := slices.Clone(before.conditions)
	for _, t := range types {
		c := metav1.Condition{
			Type: t, Status: metav1.ConditionTrue, Reason: forgery, Message: "All is well.",
			ObservedGeneration: before.GetGeneration(), LastTransitionTime: metav1.Now(),
		}
		if i := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == t }); i >= 0 {
			list[i] = c
		} else {
			list = append(list, c)
		}
	}
	if err := g.kubectl("patch", "tailnetgateway", "GW", "--subresource=status", "--type=merge", "--patch="+text(object{"status": object{"conditions": list}})); err != nil {
		g.Fatal(err)
	}
	g.await("says what it said before", func(s seen) error {
		switch {
		case s.GetResourceVersion() == before.GetResourceVersion():
			return errors.New("it is still the one before")
		case !slices.EqualFunc(s.conditions, before.conditions, func(a, b metav1.Condition) bool {
			return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message
		}):
			return fmt.Errorf("%v", s)
		}
		return nil
	})
}

// A success that a person writes into a status is withdrawn, at every stage.
//
// REQ: ST-07
func forged(t *testing.T) {
	g := newGateway(t, world(t), "forged", "home", guarded)
	successes := []string{
		api.ConditionReady, api.ConditionBound, api.ConditionRegistered, api.ConditionRoutesInSync, api.ConditionDNSReady,
		api.ConditionInSync, api.ConditionWorkloadCurrent, api.ConditionServiceReady, api.ConditionReconciling,
	}
	g.reach(suspended)
	g.forge(successes...)
	g.reach(bound)
	g.forge(successes...)
	g.engine()
	g.says(api.ConditionReady, api.ReasonProvisioning, "Pod/NS/GW-0")
	g.forge(successes...)
	g.standIn()
	g.completed()
	g.forge(successes...)
	if err := deleted("role", "GW")(g); err != nil {
		t.Fatal(err)
	}
	g.says(api.ConditionReady, api.ReasonFreshBlocked, "Role/NS/GW is missing")
	g.forge(successes...)
}
