package verdict_test

import (
	"testing"
	"time"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Another minter's gateway is nobody's business here, whatever is due for it; nor
// is one that cannot be read.
//
// REQ: RN-12, LC-06
func TestLeaveAlone(t *testing.T) {
	for _, stage := range append(bootstrapSteps, ready, expired) {
		for why, change := range map[string]func(*observe.World){
			"other namespace":          func(w *observe.World) { w.Namespace = "elsewhere" },
			"with a finalizer":         all(finalize, func(w *observe.World) { w.Namespace = "elsewhere" }),
			"terminating":              all(consent, terminate, func(w *observe.World) { w.Namespace = "elsewhere" }),
			"the Tailnet moved":        func(w *observe.World) { tn, _ := w.Tailnet.Get(); tn.Spec.OperatorNamespace = "elsewhere" },
			"there is no gateway":      func(w *observe.World) { w.Gateway = observe.Absent[*v1alpha1.TailnetGateway]() },
			"the gateway is not known": func(w *observe.World) { w.Gateway = observe.Unknown[*v1alpha1.TailnetGateway](observe.Denied) },
		} {
			w := at(t, stage)
			change(&w)
			if v := verdict.Decide(w); !v.LeaveAlone || v.Step.Do != verdict.None || v.Reason != "" {
				t.Errorf("%s, %s: %q %s", stage, why, v.Step.Do, v.Reason)
			}
		}
	}
	w := at(t, ready)
	w.Namespace = "elsewhere"
	suspend(&w)
	if v := verdict.Decide(w); v.LeaveAlone || v.Reason != "Suspended" {
		t.Errorf("suspended: %+v", v) // whose it is takes more than the gateway to tell (LC-03)
	}
}

// Everything that a step writes lies in the minter's namespace, but for the gateway
// itself and what Headscale is asked.
//
// REQ: CF-01, LC-05
func TestNamespace(t *testing.T) {
	for _, stage := range append(bootstrapSteps, expired, closed, restored) {
		w := at(t, stage)
		w.Namespace = "gateways"
		tn, _ := w.Tailnet.Get()
		tn.Spec.OperatorNamespace = "gateways"
		if w.Attempt.Minting != nil || w.AuthReceipt.Known() {
			continue // the Tailnet they are about is another one
		}
		s := verdict.Decide(w).Step
		if s.Do == verdict.None || s.Object.Namespace != "gateways" {
			t.Errorf("%s: %s writes %s", stage, s.Do, s.Object)
		}
	}
	for _, stage := range bootstrapSteps {
		s := verdict.Decide(at(t, stage)).Step
		if outside := s.Object.Kind == "Tailnet"; outside != (stage == verdict.Mint || stage == verdict.ExpireKey) || !outside && s.Object.Namespace != namespace {
			t.Errorf("%s writes %s", stage, s.Object)
		}
	}
}

// The hostname is the node's name, and by default the gateway's.
func TestHostname(t *testing.T) {
	w := at(t, verdict.CreateState)
	g := gatewayIn(w)
	g.Spec.Hostname = "door"
	nodeNamed("door", "door")(&w)
	if v := verdict.Decide(w); v.Values["object"] != "HeadscaleNode/4" {
		t.Errorf("%+v", v)
	}
	nodeNamed("lab-gw", "lab-gw")(&w)
	if v := verdict.Decide(w); v.Step.Do != verdict.CreateState {
		t.Errorf("%+v", v)
	}
}

// Where a verdict waits for nothing but time, it says when to look again.
func TestAgain(t *testing.T) {
	day := start.Add(24 * time.Hour)
	for why, c := range map[string]struct {
		stage  verdict.Action
		change func(*observe.World)
		want   time.Time
	}{
		"a key that may exist":    {unasked, nothing, day},
		"an own mint that waits":  {verdict.Mint, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod(nil)) }, day},
		"or is in conflict":       {verdict.Mint, nodeNamed("lab-gw", "lab-gw"), day},
		"a fresh state Secret":    {unnamed, func(w *observe.World) { w.Now = start.Add(time.Second) }, start.Add(30 * time.Second)},
		"a receipt that waits":    {verdict.CreateFresh, func(w *observe.World) { member(w, 0, func(m *observe.Member) { m.Deleting = true }) }, day},
		"an engine that may come": {open, nothing, time.Time{}},
		"a running gateway":       {ready, nothing, time.Time{}},
	} {
		w := at(t, c.stage)
		c.change(&w)
		if v := verdict.Decide(w); !v.Again.Equal(c.want) || v.Step.Do != verdict.None {
			t.Errorf("%s: %v, step %q", why, v.Again, v.Step.Do)
		}
	}
}

// A gateway that consents waits for its Tailnet to be held, whatever else is due.
//
// REQ: TD-07
func TestUnheld(t *testing.T) {
	for why, c := range map[string]struct {
		change func(*observe.World)
		want   bool
	}{
		"consent":                      {consent, true},
		"held":                         {all(consent, hold), false},
		"it has its finalizer":         {all(consent, finalize), false},
		"no consent":                   {nothing, false},
		"on its way out":               {all(consent, terminate), false},
		"suspended":                    {all(consent, suspend), false},
		"no Tailnet":                   {all(consent, func(w *observe.World) { w.Tailnet = observe.Absent[*v1alpha1.Tailnet]() }), false},
		"another minter's":             {all(consent, func(w *observe.World) { w.Namespace = "elsewhere" }), false},
		"the registry cannot be read":  {all(consent, func(w *observe.World) { w.Registry = observe.Unknown[observe.Registry](observe.Denied) }), false},
		"an entry of another UID goes": {all(consent, recreate), false},
	} {
		w := at(t, ready)
		c.change(&w)
		if v := verdict.Decide(w); v.Unheld != c.want {
			t.Errorf("%s: %v", why, v.Unheld)
		}
	}
}
