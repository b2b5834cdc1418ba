//go:build lab && linux

package blocked

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// entries are the registry's data, but for those of some gateways.
func entries(g *gateway, but ...string) (map[string]string, error) {
	m, err := g.Client(apiserver.Admin).CoreV1().ConfigMaps(g.namespace).Get(g.Context(), api.BindingsName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(m.Data, func(key, _ string) bool {
		for _, name := range but {
			if strings.HasPrefix(key, api.BindingKey(name, "")) {
				return true
			}
		}
		return false
	})
	return m.Data, nil
}

// same waits until every other gateway's entry is what it was.
func (g *gateway) same(want map[string]string) {
	g.Helper()
	g.Await("every completed gateway has its entry", func(context.Context) error {
		now, err := entries(g, g.name)
		switch {
		case err != nil:
			return err
		case !maps.Equal(want, now):
			return fmt.Errorf("%d keys of %d", len(now), len(want))
		}
		return nil
	})
}

// A registry that is gone is there again with an entry of every completed gateway,
// as its receipt has it; one that was on its way begins anew.
//
// REQ: LC-21, LC-22
func lostRegistry(t *testing.T) {
	g := newGateway(t, world(t), "on-its-way", "home", guarded)
	g.reach(placed)
	before, err := entries(g, g.name)
	if err != nil || len(before) == 0 {
		t.Fatal(before, err)
	}
	if err := g.kubectl("patch", "configmap", api.BindingsName, "--namespace=NS", "--type=merge", `--patch={"data":{"KEY_phase":null}}`); err == nil || !strings.Contains(err.Error(), "'tsunaro-records'") {
		t.Errorf("a person may write the registry: %v", err)
	}
	g.hold("lab.example/hold")
	if err := g.kubectl("delete", "configmap", api.BindingsName, "--namespace=NS"); err != nil {
		t.Fatal(err)
	}
	g.says(api.ConditionReady, api.ReasonRestarting, "Pod/NS/GW-0")
	g.hold()
	g.says(api.ConditionReady, api.ReasonAwaitingResources) // what it had is gone
	g.same(before)
	g.standIn()
	if obeyed := g.goOn(); len(obeyed) > 0 {
		t.Errorf("it had to be cleared: %q", obeyed)
	}
}

// hold sets the finalizers of the gateway's Pod: with one it stays, as a Pod does whose
// kubelet has not ended it yet.
func (g *gateway) hold(finalizers ...string) {
	g.Helper()
	patch, err := json.Marshal(object{"metadata": object{"finalizers": finalizers}})
	if err != nil {
		g.Fatal(err)
	}
	if err := g.kubectl("patch", "pod", "GW-0", "--namespace=NS", "--type=merge", "--patch="+string(patch)); err != nil {
		g.Fatal(err)
	}
}

// Entries that somebody wrote who should not: what is missing is written again, what
// contradicts blocks, and the command for that does nobody any harm.
//
// REQ: LC-21, LC-10, LC-18
func brokenRegistry(t *testing.T) {
	w := world(t)
	g := newGateway(t, w, "rewritten", "free", free)
	g.reach(complete)
	before, err := entries(g)
	if err != nil {
		t.Fatal(err)
	}
	keys := fmt.Sprintf(`{"data":{%q:null,%q:null,%q:null}}`, "KEY_gateway_uid", "KEY_state_uid", "KEY_phase")
	if err := g.kubectl("patch", "configmap", api.BindingsName, "--namespace=NS", "--type=merge", "--patch="+keys); err != nil {
		t.Fatal(err)
	}
	g.Await("the entry is written again", func(context.Context) error {
		if now, err := entries(g); err != nil || !maps.Equal(before, now) {
			return errors.Join(err, fmt.Errorf("%d keys of %d", len(now), len(before)))
		}
		return nil
	})

	if err := g.kubectl("patch", "configmap", api.BindingsName, "--namespace=NS", "--type=merge", `--patch={"data":{"KEY_state_uid":"`+another+`"}}`); err != nil {
		t.Fatal(err)
	}
	t.Log(g.says(api.ConditionReady, api.ReasonFreshBlocked, "ConfigMap/NS/tsunaro-bindings names another state", "data.KEY_state_uid").condition(api.ConditionReady).Message)
	if obeyed := g.goOn(); len(obeyed) != 1 {
		t.Errorf("it takes %q", obeyed)
	}

	g = newGateway(t, w, "broken-entry", "free", free)
	g.reach(bound)
	before, err = entries(g, g.name)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.kubectl("patch", "configmap", api.BindingsName, "--namespace=NS", "--type=merge", `--patch={"data":{"KEY_phase":"opened"}}`); err != nil {
		t.Fatal(err)
	}
	t.Log(g.says(api.ConditionReady, api.ReasonFreshBlocked, "ConfigMap/NS/tsunaro-bindings holds an entry", "data.KEY_phase").condition(api.ConditionReady).Message)
	g.standIn()
	if obeyed := g.goOn(); len(obeyed) != 1 {
		t.Errorf("it takes %q", obeyed)
	}
	g.same(before)
}
