package teardown_test

import (
	"slices"
	"strings"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
)

// fault is what goes wrong with a write.
type fault uint8

const (
	fine        fault = iota
	lostAfter         // the write happens, its answer is lost
	lostBefore        // the write does not happen, and nobody says so
	failed            // the write is refused
	crashAfter        // the process dies when the write has happened
	crashBefore       // the process dies with the decision
	crashed           // the process dies having seen the answer
	faults
)

// step decides once and carries out what is due, as a shell does.
func (c *cluster) step(of func(n int, v teardown.Verdict) fault) teardown.Verdict {
	c.Helper()
	v := teardown.Decide(c.read())
	c.spoken(v)
	if v.Step.Do == verdict.None {
		return v
	}
	what := fine
	if of != nil {
		what = of(len(c.steps), v)
	}
	c.steps = append(c.steps, strings.TrimSpace(string(v.Step.Do)+" "+v.Step.Object.String()))
	var r verdict.Result
	switch what {
	case failed:
		r.Outcome = verdict.NotDone
	case lostBefore, crashBefore:
	default:
		r = c.carryOut(v)
	}
	if what == lostAfter || what == crashAfter {
		r = verdict.Result{}
	}
	c.attempt = verdict.After(c.attempt, string(c.gateway.UID), v.Step, r)
	if what >= crashAfter {
		c.attempt = observe.Attempt{}
	}
	if r.Outcome != verdict.Done {
		f := teardown.Failed(v, r.Outcome)
		c.spoken(f)
		if f.Step.Do != verdict.None || f.Node != "" {
			c.Fatalf("%+v is still to be done", f)
		}
		f.Step.Do = "failed" // not at rest: it is tried again
		return f
	}
	return v
}

// run lets the process and everybody else work until nothing moves any more.
func (c *cluster) run(of func(n int, v teardown.Verdict) fault) teardown.Verdict {
	c.Helper()
	last, times := "", 0
	for range 300 {
		if c.finished() {
			return teardown.Verdict{}
		}
		v := c.step(of)
		if v.Step.Do == "failed" {
			if said := v.Reason + v.Values["step"] + v.Values["object"]; said != last {
				last, times = said, 0
			}
			if times++; times > 5 { // tried again, and never with success
				return v
			}
			continue
		}
		if v.Step.Do == verdict.None && !c.tick() {
			return v
		}
	}
	c.Fatalf("does not come to rest: %v", c.steps)
	return teardown.Verdict{}
}

// finished reports whether the API server would remove the gateway.
func (c *cluster) finished() bool {
	return !slices.Contains(c.gateway.Finalizers, api.FinalizerTeardown)
}

// spoken sees to it that a verdict can be told with the table of conditions.
func (c *cluster) spoken(v teardown.Verdict) {
	c.Helper()
	if v.LeaveAlone {
		return
	}
	row, ok := api.FindCondition(api.KindTailnetGateway, api.ConditionReady, v.Reason)
	if !ok {
		c.Fatalf("no row for %q", v.Reason)
	}
	if text := row.Message(v.Values); strings.ContainsAny(text, "{}") {
		c.Fatalf("%s: %s", v.Reason, text)
	}
}

// outcome is how a run ends, in a word.
func outcome(v teardown.Verdict) string {
	return strings.TrimSpace(v.Reason + " " + v.Values["step"] + " " + v.Values["object"])
}

// clean is what is wrong with a cluster in which a teardown is over.
func (c *cluster) clean() (left []string) {
	for name, o := range c.objects {
		if o.Labels["tsunaro.io/gateway-uid"] == uid(1) {
			left = append(left, name)
		}
	}
	for _, n := range c.nodes {
		if n.MachineKey == keys.Machine {
			left = append(left, "node "+string(n.ID))
		}
	}
	if c.now.Before(c.expires) {
		left = append(left, "key 5")
	}
	for key := range c.registry {
		if strings.HasPrefix(key, "lab_gw_") {
			left = append(left, key)
		}
	}
	if !c.finished() {
		left = append(left, "finalizer")
	}
	if c.registry["other_gw_phase"] != "open" || c.objects["ConfigMap"+inNamespace+"lab-gw-other"] == nil ||
		!slices.ContainsFunc(c.nodes, otherNodeOf) || !slices.Contains(c.gateway.Finalizers, "other") {
		left = append(left, "something of somebody else's is missing")
	}
	slices.Sort(left)
	return left
}

func otherNodeOf(n node.Node) bool { return n.ID == "9" }
