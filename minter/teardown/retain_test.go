package teardown_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Taking back the consent ends a teardown wherever it is, also where it is
// blocked, and so does suspending the gateway. What is left stays.
//
// REQ: TD-01, TD-05 (B42)
func TestRetain(t *testing.T) {
	on := true
	ways := map[string]func(*v1alpha1.TailnetGatewaySpec){
		"Deleting":  func(s *v1alpha1.TailnetGatewaySpec) { s.DeletionPolicy = v1alpha1.DeletionRetain },
		"Suspended": func(s *v1alpha1.TailnetGatewaySpec) { s.Suspend = &on },
	}
	for reason, change := range ways {
		for name, w := range worlds {
			for n := range w.steps {
				for _, down := range []bool{false, true} {
					c := w.new(t)
					c.until(n)
					if down {
						for _, op := range []string{"list", "get", "delete", "expire"} {
							c.headscale[op] = observe.Unreachable
						}
						c.client = observe.Unknown[struct{}](observe.Unreachable)
					}
					change(&c.gateway.Spec)
					v := c.step(nil)
					if v.Step.Do != teardown.RemoveFinalizer || v.Reason != reason || !c.finished() || len(c.gone) != n {
						t.Errorf("%s of %s after %d steps: %s, gone %v", reason, name, n, v.Step.Do, c.gone)
					}
					if v := teardown.Decide(c.read()); v.Step.Do != verdict.None {
						t.Errorf("%s of %s: %s after the finalizer", reason, name, v.Step.Do)
					}
				}
			}
		}
	}
}

// A gateway that no Headscale client can be had for is retained, from a Headscale
// that does not answer it is told apart. With its workload gone it is too late.
//
// REQ: TD-05
func TestNoClient(t *testing.T) {
	for why, lose := range map[string]func(*cluster){
		"no working key": func(c *cluster) { c.client = observe.Absent[struct{}]() },
		"no Tailnet":     func(c *cluster) { c.tailnet, c.client = nil, observe.Fact[struct{}]{} },
	} {
		for name, w := range worlds {
			for n := range w.steps {
				c := w.new(t)
				c.until(n)
				lose(c)
				v := teardown.Decide(c.read())
				want := "Deleting RemoveFinalizer TailnetGateway/lab-gw"
				// The receipts are the last to go: without them there is nothing to be blocked about.
				if receipts := len(w.steps) - 1; n >= 2 && name != "attempted" && n < receipts {
					want = "TeardownBlocked DeleteNode Tailnet/home"
				}
				if outcome(v) != want || (v.Step.Do == teardown.RemoveFinalizer) != (v.Reason == "Deleting") {
					t.Errorf("%s, %s after %d steps: %s", name, why, n, outcome(v))
				}
			}
		}
	}
	gone := completed(t)
	gone.until(1)
	gone.client = observe.Absent[struct{}]()
	w := gone.read()
	w.Children = nil // nobody has looked whether the workload is there
	if v := teardown.Decide(w); v.Step.Do != verdict.None || outcome(v) != "EvidenceUnavailable  "+setName {
		t.Errorf("unknown whether it has begun: %s %s", v.Step.Do, outcome(v))
	}
	c := completed(t)
	c.client = observe.Unknown[struct{}](observe.Unreachable)
	if v := teardown.Decide(c.read()); v.Step.Do != verdict.None || outcome(v) != "EvidenceUnavailable  Headscale/home" {
		t.Errorf("unknown whether there is a client: %s %s", v.Step.Do, outcome(v))
	}
}

// TestScope: whose gateway it is, and whether it is on its way out at all.
//
// REQ: TD-01, RN-12, LC-21
func TestScope(t *testing.T) {
	for why, change := range map[string]func(*cluster){
		"not deleted":        func(c *cluster) { c.gateway.DeletionTimestamp = nil },
		"of another minter":  func(c *cluster) { c.tailnet.Spec.OperatorNamespace = "other" },
		"and taken back too": func(c *cluster) { c.tailnet.Spec.OperatorNamespace, c.gateway.Spec.DeletionPolicy = "other", "Retain" },
	} {
		c := completed(t)
		change(c)
		if v := teardown.Decide(c.read()); !v.LeaveAlone || v.Step.Do != verdict.None {
			t.Errorf("%s: %+v", why, v)
		}
	}
	if v := teardown.Decide(teardown.World{}); !v.LeaveAlone || v.Step.Do != verdict.None {
		t.Errorf("no gateway: %+v", v)
	}
	c := completed(t)
	c.gateway.Finalizers = []string{"other"}
	if v := teardown.Decide(c.read()); v.Step.Do != verdict.None || v.Reason != "Deleting" {
		t.Errorf("without our finalizer: %+v", v)
	}
	for why, entry := range map[string]map[string]string{
		"half an entry":            {"lab_gw_phase": "open"},
		"one of another gateway's": {"lab_gw_gateway_uid": uid(9), "lab_gw_state_uid": uid(8), "lab_gw_phase": "open"},
	} {
		c := completed(t)
		c.registry = maps.Clone(entry)
		c.registry["other_gw_phase"] = "open"
		if c.run(nil); len(c.clean()) > 0 || c.steps[0] != "CloseEntry "+bindings {
			t.Errorf("%s: %v, left %v", why, c.steps, c.clean())
		}
	}
}

// What stands as the inventory, and what does not.
//
// REQ: TD-03, TD-04, LC-17
func TestInventory(t *testing.T) {
	replace := func(name string, edit func(*object)) func(*cluster) {
		return func(c *cluster) { edit(c.objects[name]) }
	}
	noFresh := func(c *cluster) { delete(c.objects, freshName) }
	stranger := func(o *object) { o.Labels = nil }
	const blockedFresh, blockedStage = "TeardownBlocked ReadReceipt " + freshName, "TeardownBlocked ReadReceipt " + stageName
	for _, row := range []struct {
		why    string
		change func(*cluster)
		want   string
		gone   int // -1 is all
	}{
		{"under the former rule", replace(freshName, func(o *object) { o.fresh.Rule = receipt.RuleV010 }), "", -1},
		{"unreadable", replace(freshName, func(o *object) { o.err = receipt.ErrCompletion }), blockedFresh, 0},
		{"of the future", replace(freshName, func(o *object) { o.err = receipt.ErrUnknownFormat }), blockedFresh, 0},
		{"under a rule of the future", replace(freshName, func(o *object) { o.err = receipt.ErrUnknownRule }), blockedFresh, 0},
		{"not immutable", replace(freshName, func(o *object) { o.Immutable = false }), blockedFresh, 0},
		{"about another gateway", replace(freshName, func(o *object) { o.fresh.Gateway.UID = uid(9) }), blockedFresh, 0},
		{"of another name", replace(freshName, func(o *object) { o.fresh.Gateway.Name = "other" }), blockedFresh, 0},
		{"without our label", replace(freshName, stranger), blockedFresh, 0},
		{"of a former format: it is as none", replace(freshName, func(o *object) { o.err, o.fresh = receipt.ErrFormerFormat, receipt.Completion{} }), "", -1},
		{"of a former format, without our label", replace(freshName, func(o *object) { o.err = receipt.ErrFormerFormat; stranger(o) }), blockedFresh, 0},

		{"a stage of ours beside it", replace(stageName, func(*object) {}), "", -1},
		{"a stage that is not ours", replace(stageName, stranger), "TeardownBlocked DeleteStage " + stageName, 15},
		{"a stage about something else", replace(stageName, func(o *object) { o.fresh.Gateway.UID = uid(9) }), "TeardownBlocked DeleteStage " + stageName, 15},
		{"a stage alone", noFresh, "", -1},
		{"a stage alone that is unreadable", both(noFresh, replace(stageName, func(o *object) { o.err = receipt.ErrCompletion })), blockedStage, 0},
		{"a stage alone about something else", both(noFresh, replace(stageName, func(o *object) { o.fresh.Gateway.Name = "other" })), blockedStage, 0},
	} {
		c := staged(t)
		row.change(c)
		if row.want == "" && c.objects[freshName] != nil && c.objects[freshName].err != nil {
			delete(c.objects, stageName)
		}
		v := c.run(nil)
		if left := c.clean(); row.gone < 0 && len(left) > 0 || outcome(v) != row.want || row.gone >= 0 && len(c.gone) != row.gone {
			t.Errorf("%s: %s, want %s: gone %v, left %v", row.why, outcome(v), row.want, c.gone, left)
		}
	}
	// A stage that is not ours is no inventory, and stays with everything else that
	// nobody can prove.
	c := staged(t)
	noFresh(c)
	stranger(c.objects[stageName])
	if v := c.run(nil); v.Reason != "" || len(c.clean()) > 0 || c.objects[stageName] == nil {
		t.Errorf("a stranger's stage: %s, left %v", outcome(v), c.clean())
	}
}

// What an attempt leaves where its own records are not what they should be.
//
// REQ: TD-04, TD-05
func TestAttempts(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*cluster)
		want   string
		stays  []string
	}{
		{"an auth Secret of the user's", func(c *cluster) { c.objects[authName].Labels = nil }, "", []string{authName}},
		{"one that was replaced under our label", func(c *cluster) { c.objects[authName].UID = uid(90) }, "", nil},
		{"a drifted StatefulSet with its Pod", func(c *cluster) { c.objects[setName].drift = verify.Different }, "TeardownBlocked DeleteWorkload " + setName, nil},
		{"a drifted one without a Pod", func(c *cluster) { c.objects[setName].drift, c.pods = verify.Different, nil }, "", []string{setName}},
		{"one that is behind", func(c *cluster) { c.objects[setName].drift = verify.Behind }, "", nil},
		{"a state of another gateway's", func(c *cluster) {
			c.objects[stateName].Labels, c.pods = map[string]string{"tsunaro.io/gateway-uid": uid(9)}, nil
		}, "TeardownBlocked DeleteNode HeadscaleNode/7", nil},
		{"an empty state", func(c *cluster) { unread(c); c.nodes = c.nodes[:1] }, "", nil},
		{"no key yet", func(c *cluster) {
			unread(c)
			c.nodes, c.expires, c.registry["lab_gw_phase"] = c.nodes[:1], start, "open"
			delete(c.objects, authName)
			delete(c.objects, recordName)
			c.headscale["list"] = observe.Unreachable // it was never asked for anything
		}, "", nil},
		{"no record of the key", func(c *cluster) { delete(c.objects, recordName); c.expires = start }, "", nil},
	} {
		c := attempted(t)
		row.change(c)
		v := c.run(nil)
		if outcome(v) != row.want {
			t.Errorf("%s: %s, want %s", row.why, outcome(v), row.want)
		}
		left := slices.DeleteFunc(c.clean(), func(s string) bool { return slices.Contains(row.stays, s) })
		for _, name := range row.stays {
			if c.objects[name] == nil {
				t.Errorf("%s: %s is gone", row.why, name)
			}
		}
		if row.want == "" && len(left) > 0 {
			t.Errorf("%s: left %v", row.why, left)
		}
	}
	for n := range 10 { // the engine had made some of the nine, and nobody a key
		c := attempted(t)
		for i, o := range observe.Names(c.gateway, namespace) {
			if i >= n {
				delete(c.objects, o.String())
			}
		}
		unread(c)
		c.objects[stateName].content = proof.Empty
		c.nodes, c.expires, c.pods = c.nodes[:1], start, nil
		delete(c.objects, authName)
		delete(c.objects, recordName)
		if v := c.run(nil); v.Reason != "" || len(c.clean()) > 0 {
			t.Errorf("%d of the nine: %s, left %v", n, outcome(v), c.clean())
		}
	}
	if fmt.Sprint(teardown.Names(attempted(t).read())) != "[]" {
		t.Error("an attempt has an inventory")
	}
}
