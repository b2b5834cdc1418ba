package teardown_test

import (
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/minter/teardown"
)

// The steps of a gateway with a receipt, whose order is by kind and name, and of
// one without.
var (
	wholeSteps = []string{
		"CloseEntry " + bindings,
		"DeleteWorkload " + setName,
		"DeleteNode HeadscaleNode/7",
		"ExpireKey HeadscaleKey/5",
		"DeleteChild ConfigMap" + inNamespace + "lab-gw-coredns",
		"DeleteChild PodDisruptionBudget" + inNamespace + "lab-gw",
		"DeleteChild Role" + inNamespace + "lab-gw",
		"DeleteChild RoleBinding" + inNamespace + "lab-gw",
		"DeleteChild Service" + inNamespace + "lab-dns",
		"DeleteChild Service" + inNamespace + "lab-gw",
		"DeleteChild Service" + inNamespace + "lab-gw-lb",
		"DeleteChild ServiceAccount" + inNamespace + "lab-gw",
		"DeleteAuth " + authName,
		"DeleteStateSecret " + stateName,
		"DeleteAuthReceipt " + recordName,
		"DeleteFresh " + freshName,
		"RemoveFinalizer TailnetGateway/lab-gw",
	}
	// Without a receipt the nine go in the reverse order of their creation.
	partSteps = slices.Concat(wholeSteps[:4], []string{
		wholeSteps[5], wholeSteps[10], wholeSteps[8], wholeSteps[9], wholeSteps[4], wholeSteps[7], wholeSteps[6], wholeSteps[11],
	}, wholeSteps[12:15], wholeSteps[16:])
)

// worlds are the gateways that are torn down in these tests, with the steps to
// which nothing happens.
var worlds = map[string]struct {
	new   func(testing.TB) *cluster
	steps []string
}{
	"complete":  {completed, wholeSteps},
	"attempted": {attempted, partSteps},
	"staged":    {staged, slices.Insert(slices.Clone(wholeSteps), len(wholeSteps)-1, "DeleteStage "+stageName)},
	"promoting": {func(t testing.TB) *cluster {
		c := staged(t)
		delete(c.objects, freshName)
		return c
	}, slices.Insert(slices.Delete(slices.Clone(wholeSteps), 15, 16), 15, "DeleteStage "+stageName)},
	"bare": {bare, wholeSteps[len(wholeSteps)-1:]},
}

// The receipt's order, and nothing of it is left, of others everything.
//
// REQ: TD-02, TD-04, TD-06 (B42)
func TestOrder(t *testing.T) {
	for name, w := range worlds {
		c := w.new(t)
		v := c.run(nil)
		if left := c.clean(); len(left) > 0 || v.Reason != "" {
			t.Errorf("%s: %s, left %v", name, outcome(v), left)
		}
		if !slices.Equal(c.steps, w.steps) {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(c.steps, "\n     "), strings.Join(w.steps, "\n     "))
		}
	}
}

// Between the StatefulSet and everything else the Pod is awaited, and every object
// until it is gone.
//
// REQ: TD-02 (B46)
func TestWaits(t *testing.T) {
	for name, w := range worlds {
		c := w.new(t)
		for _, o := range c.objects {
			o.sticky = 2
		}
		var waited []string
		for range 400 {
			if c.finished() {
				break
			}
			v := c.step(nil)
			if len(c.pods) > 0 && len(c.gone) > 2 {
				t.Fatalf("%s: %v while the Pod is there", name, c.gone)
			}
			going := slices.ContainsFunc(c.gone, func(n string) bool { return c.objects[n] != nil })
			if going && v.Step.Do != "" && c.objects[v.Step.Object.String()] == nil {
				t.Fatalf("%s: %s before %v is gone", name, v.Step.Object, c.gone)
			}
			if v.Step.Do == "" {
				if v.Reason != "Deleting" {
					t.Fatalf("%s: %s", name, outcome(v))
				}
				waited = append(waited, v.Values["step"])
				c.tick()
			}
		}
		if left := c.clean(); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
		if name != "bare" && (!slices.Contains(waited, "AwaitPods") || !slices.Contains(waited, "DeleteWorkload") || !slices.Contains(waited, "DeleteChild")) {
			t.Errorf("%s waited at %v", name, waited)
		}
	}
}

// Everything that can be already gone may be.
//
// REQ: TD-06 (B42)
func TestAlreadyGone(t *testing.T) {
	for name, w := range worlds {
		first := w.new(t)
		for missing := range first.objects {
			if strings.HasSuffix(missing, "-other") {
				continue
			}
			c := w.new(t)
			delete(c.objects, missing)
			v := c.run(nil)
			left := c.clean()
			switch name + " " + missing {
			case "attempted " + recordName: // no metadata tell which key it was (MT-04)
				left = slices.DeleteFunc(left, func(s string) bool { return s == "key 5" })
			case "attempted " + stateName: // the nine prove nothing without it, and have a Pod
				if outcome(v) != "TeardownBlocked DeleteWorkload "+setName || !slices.Equal(c.gone, []string{"entry"}) {
					t.Errorf("without its state: %s, gone %v", outcome(v), c.gone)
				}
				continue
			}
			if len(left) > 0 || v.Reason != "" {
				t.Errorf("%s without %s: %s, left %v", name, missing, outcome(v), left)
			}
		}
		c := w.new(t)
		c.nodes, c.registry = c.nodes[:1], map[string]string{"other_gw_phase": "open"}
		if v := c.run(nil); len(c.clean()) > 0 {
			t.Errorf("%s without a node and an entry: %s, left %v", name, outcome(v), c.clean())
		}
	}
}

// Deletes carry the UID that was looked at, and what changes the registry or the
// finalizers the revision.
//
// REQ: TD-03
func TestPreconditions(t *testing.T) {
	c := completed(t)
	for !c.finished() {
		v := c.step(nil)
		s := v.Step
		switch {
		case teardown.Deletes(s.Do) && s.UID == "",
			s.Do == teardown.CloseEntry && s.Revision != "100",
			s.Do == teardown.RemoveFinalizer && (s.UID != uid(1) || s.Revision != "10"),
			s.Do == teardown.DeleteNode && v.Node != "7",
			s.Do == teardown.ExpireKey && s.Key != "5":
			t.Errorf("%+v", v)
		}
		if s.Do == "" && !c.tick() {
			t.Fatal(outcome(v))
		}
	}
}
