package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/rules"
)

// until runs a process up to its n-th step.
func until(t *testing.T, n int) *process {
	t.Helper()
	p := &process{c: newCluster(t)}
	for range 100 {
		if len(p.steps) == n {
			return p
		}
		if v := p.step(); v.Step.Do == verdict.None && !p.c.tick() {
			return p
		}
	}
	t.Fatalf("%d steps are never done: %v", n, p.steps)
	return nil
}

// Suspending stops a bootstrap wherever it is, and nothing else; afterwards it goes
// on, or repeats what it cannot be sure of. Where a key was being made, the changed
// generation makes it worthless.
//
// REQ: LC-03, LC-09, LC-14, MT-04
func TestSuspendAndResume(t *testing.T) {
	for n := range len(bootstrapSteps) + 1 {
		p := until(t, n)
		on, off := true, false
		p.c.gateway.Spec.Suspend = &on
		p.c.gateway.Generation++
		if v := p.run(later); v.Reason != "Suspended" || len(p.steps) != n {
			t.Errorf("after %v: %s %v", bootstrapSteps[:n], v.Reason, p.steps[n:])
		}
		p.c.gateway.Spec.Suspend = &off
		p.c.gateway.Generation++
		want := "FreshRuntimeReady"
		switch n {
		case 5:
			want = "FreshBlocked Secret/tsunaro-system/lab-gw-auth"
		case 6:
			want = "FreshBlocked ConfigMap/tsunaro-system/lab-gw-auth-receipt"
		}
		if got := outcome(p.run(later)); got != want {
			t.Errorf("after %v: %s, want %s: %v", bootstrapSteps[:n], got, want, p.steps[n:])
		}
	}
}

// obey does what the message advises, as somebody who copies the command.
func (c *cluster) obey(command string) {
	c.Helper()
	var id, kind, name, ns string
	if n, _ := fmt.Sscanf(command, "headscale nodes delete --force --identifier %s", &id); n == 1 {
		for i, n := range c.nodes {
			if n.ID == node.ID(id) {
				c.nodes = append(c.nodes[:i:i], c.nodes[i+1:]...)
				return
			}
		}
	}
	if n, _ := fmt.Sscanf(command, "kubectl delete %s %s --namespace %s", &kind, &name, &ns); n != 3 || ns != namespace {
		c.Fatalf("no command that helps: %q", command)
	}
	switch kind + "/" + name {
	case "secret/lab-gw-state":
		c.state = nil
	case "secret/lab-gw-auth":
		for _, k := range c.keys {
			k.forgotten = k.forgotten || k.text == string(c.auth.Bytes.Open())
		}
		c.auth = nil
	case "configmap/lab-gw-auth-receipt":
		c.authReceipt = nil
	case "configmap/lab-gw-fresh":
		c.fresh = nil
	case "pod/lab-gw-0":
		c.pod = nil
	default:
		for i, o := range c.names() {
			if strings.EqualFold(o.Kind, kind) && o == (rules.Object{Kind: o.Kind, Namespace: ns, Name: name}) && c.nine[i] != nil {
				c.nine[i] = nil
				return
			}
		}
		c.Fatalf("%q deletes nothing", command)
	}
}

// clear obeys until nothing blocks any more.
func (p *process) clear() verdict.Verdict {
	p.c.Helper()
	for range 30 {
		v := p.run(later)
		if v.Reason != "FreshBlocked" {
			return v
		}
		p.c.obey(v.Values["command"])
	}
	p.c.Fatal("still blocked after 30 commands")
	return verdict.Verdict{}
}

// Whatever blocks a bootstrap, the commands in the status lead out of it one after
// the other, and never through two usable keys.
//
// REQ: LC-10, LC-22, MT-04
func TestCommandsLeadOut(t *testing.T) {
	for n, action := range bootstrapSteps {
		for f := lostAfter; f < faults; f++ {
			p := &process{c: newCluster(t), fault: func(i int, _ verdict.Step) fault {
				if i == n {
					return f
				}
				return fine
			}}
			if v := p.clear(); v.Reason != "FreshRuntimeReady" {
				t.Errorf("%s/%d: %s", action, f, v.Reason)
			}
		}
	}
}

// A gateway that was deleted with Retain and created again under its name never
// takes over what the first one left, and nothing of it is deleted (B46). Once
// somebody has removed it all, it becomes a node of its own.
//
// REQ: LC-05, LC-10, LC-20, LC-21
func TestRecreatedGateway(t *testing.T) {
	for n := 1; n <= len(bootstrapSteps); n++ {
		p := until(t, n)
		p.c.gateway.UID, p.c.gateway.Generation = types.UID(p.c.next()), 1
		p.attempt = observe.Attempt{}
		before := len(p.c.keys)
		if p.c.auth == nil && before == 1 {
			p.c.keys[0].forgotten = true
		}
		v := p.run(later)
		for _, s := range p.steps[n:] {
			if s != verdict.RemoveForeignEntry {
				t.Errorf("after %v: %s", bootstrapSteps[:n], s)
			}
		}
		if v.Reason != "FreshBlocked" || len(p.c.keys) != before || p.c.state == nil || p.c.phase() != "" {
			t.Errorf("after %v: %s %v", bootstrapSteps[:n], v.Reason, v.Values)
		}
		if v := p.clear(); v.Reason != "FreshRuntimeReady" || v.Evidence.Node.ID == "1" && n > 5 {
			t.Errorf("after %v, cleared: %s", bootstrapSteps[:n], v.Reason)
		}
	}
}
