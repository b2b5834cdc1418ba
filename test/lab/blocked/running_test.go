//go:build lab && linux

package blocked

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// runs is the gateway that the lab's kubelet runs.
const runs = "runs"

// real makes a gateway one that a node of the lab can run.
func (g *gateway) real() {
	set(g.manifest, object{"sysctls": []any{object{"name": "net.ipv4.ip_forward", "value": "1"}}}, "spec", "pod")
}

// running takes a gateway to Ready, and then disturbs it in every way that can be
// taken back. It is the same node afterwards.
func running(t *testing.T) {
	w := world(t)
	g := newGateway(t, w, runs, runs+"-net", guarded)
	g.real()
	g.sources()
	g.reach(suspended)
	g.reach(bound)
	g.engine()
	g.ready()
	node := g.node()
	for _, step := range []struct {
		name string
		do   func(*gateway)
	}{
		{"what the events say", (*gateway).events},
		{"the Pod is not ready", (*gateway).notReady},
		{"the Pod is another one", (*gateway).anotherPod},
		{"the Pod is nobody's", (*gateway).nobodysPod},
		{"a second Pod", (*gateway).secondPod},
		{"an identity field", (*gateway).identityField},
		{"a pinned field", (*gateway).pinnedField},
		{"a forged status", func(g *gateway) {
			g.Helper()
			g.forge(api.ConditionDNSReady, api.ConditionReconciling, api.ConditionInSync)
		}},
	} {
		t.Run(step.name, func(t *testing.T) {
			within := *g
			within.World = g.In(t)
			step.do(&within)
			within.ready()
		})
	}
	if now := g.node(); now.ID != node.ID || now.NodeKey != node.NodeKey || !slices.Equal(now.Addresses, node.Addresses) {
		t.Errorf("it was %+v, and is %+v", node, now)
	}
}

func (g *gateway) ready() { g.Helper(); g.says(api.ConditionReady, api.ReasonFreshRuntimeReady) }

func (g *gateway) node() labtest.Node {
	g.Helper()
	n, err := shared.headscale.Node(g.Context(), g.name)
	if err != nil {
		g.Fatal(err)
	}
	return n
}

// events holds those of a whole bootstrap, from suspended to Ready, against what has
// happened: nothing alarming has, and each thing is told once.
//
// REQ: ST-03
func (g *gateway) events() {
	g.Helper()
	wanted := []string{api.ReasonSuspended, api.ReasonAwaitingResources, api.ReasonFreshRuntimeReady}
	var list []corev1.Event
	g.Await("all is told", func(context.Context) error {
		list = g.told()
		for _, reason := range wanted {
			if !slices.ContainsFunc(list, func(e corev1.Event) bool { return e.Reason == reason }) {
				return fmt.Errorf("nobody is told of %s", reason)
			}
		}
		return nil
	})
	var reasons []string
	for _, e := range list {
		g.Logf("%s %s (%d times): %s", e.Type, e.Reason, max(e.Count, 1), e.Message)
		if e.Type != corev1.EventTypeNormal || e.Count > 1 {
			g.Errorf("%s %s, %d times", e.Type, e.Reason, e.Count)
		}
		reasons = append(reasons, e.Reason)
	}
	slices.Sort(reasons)
	const most = 9
	if len(reasons) > most {
		g.Errorf("%d events: %v", len(reasons), reasons)
	}
}

// told are the events about the gateway, the oldest first.
func (g *gateway) told() []corev1.Event {
	g.Helper()
	list, err := g.Client(apiserver.Admin).CoreV1().Events(metav1.NamespaceDefault).List(g.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=" + g.name})
	if err != nil {
		g.Fatal(err)
	}
	events := slices.DeleteFunc(list.Items, func(e corev1.Event) bool { return e.InvolvedObject.Kind != api.KindTailnetGateway })
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return cmp.Compare(number(a.ResourceVersion), number(b.ResourceVersion)) })
	return events
}

// number is a resourceVersion as what it is.
func number(revision string) int64 {
	n, err := strconv.ParseInt(revision, 10, 64)
	if err != nil {
		panic(err) // of an API server's
	}
	return n
}

// notReady stops the container that answers the kubelet: as long as it does not, the
// Pod is not ready.
//
// REQ: UP-05, ST-08
func (g *gateway) notReady() {
	g.Helper()
	pod := g.AwaitReady(g.namespace, g.name+"-0")
	id := strings.TrimPrefix(labtest.Container(pod, "tailscale").ContainerID, "containerd://")
	g.Run("ctr", "tasks", "kill", "--signal=SIGSTOP", id)
	g.says(api.ConditionReady, api.ReasonRuntimeNotReady, "GW-0 is not running, or not ready", "`kubectl describe pod GW-0 --namespace NS`")
	g.Run("ctr", "tasks", "kill", "--signal=SIGCONT", id)
}

// REQ: UP-05, PD-09
func (g *gateway) anotherPod() {
	g.Helper()
	pods := g.Client(apiserver.Person).CoreV1().Pods(g.namespace)
	if err := pods.Delete(g.Context(), g.name+"-0", metav1.DeleteOptions{}); err != nil {
		g.Fatal(err)
	}
	g.says(api.ConditionReady, api.ReasonRuntimeNotReady, "GW-0 is not running, or not ready")
}

// nobodysPod takes the Pod out of its StatefulSet's hands: it runs on under its name,
// and nobody owns it.
//
// REQ: UP-05
func (g *gateway) nobodysPod() {
	g.Helper()
	if err := g.kubectl("label", "pod", "GW-0", "--namespace=NS", api.LabelStateUID+"-"); err != nil {
		g.Fatal(err)
	}
	g.obeys("Pod/NS/GW-0 is not the Pod of this gateway's StatefulSet")
}

// REQ: LC-11, UP-05
func (g *gateway) secondPod() {
	g.Helper()
	if err := labelledPod(g); err != nil {
		g.Fatal(err)
	}
	g.obeys("Pod/NS/GW-of-old ")
}

// obeys waits for a message and does what it says.
func (g *gateway) obeys(says string) {
	g.Helper()
	message := g.says(api.ConditionReady, api.ReasonFreshBlocked, says).condition(api.ConditionReady).Message
	g.Log(message)
	g.Obey(labtest.Remedy(message))
}

// REQ: LC-15, UP-01
func (g *gateway) identityField() {
	g.Helper()
	revert := g.change([]any{"tag:other"}, "tags")
	g.says(api.ConditionReady, api.ReasonIdentityChanged, "spec.tags of TailnetGateway/GW")
	revert()
}

// REQ: LC-15, UP-01
func (g *gateway) pinnedField() {
	g.Helper()
	revert := g.change([]any{object{"operator": "Exists"}}, "pod", "tolerations")
	g.says(api.ConditionReady, api.ReasonFreshBlocked, "StatefulSet/NS/GW is pinned", "spec.template.spec.tolerations")
	revert()
}

// atRest looks at a gateway that runs, when all others are gone: whatever wakes the
// minter, a status that says nothing new is not written. Then one of the nine goes:
// the gateway is not Ready any more, and serves on.
//
// REQ: ST-02, LC-15, OP-01
func atRest(t *testing.T) {
	w := world(t)
	g := newGateway(t, w, runs, runs+"-net", guarded)
	w.Must(apiserver.Person, "", "delete", "tailnetgateways", "--wait", "--field-selector=metadata.name!="+runs)
	g.ready()
	before := shared.view.await(t, api.KindTailnetGateway, runs, "is there", func(*seen) error { return nil })
	for range 10 {
		passes := g.passes()
		if err := g.kubectl("annotate", "statefulset", "GW", "--namespace=NS", "--overwrite", fmt.Sprintf("lab.example/wake=%d", wakes.Add(1))); err != nil {
			t.Fatal(err)
		}
		g.Await("a pass is over", func(ctx context.Context) error {
			if g.passes() == passes {
				return errors.New("none was")
			}
			return nil
		})
	}
	if after := shared.view.await(t, api.KindTailnetGateway, runs, "is there", func(*seen) error { return nil }); after.GetResourceVersion() != before.GetResourceVersion() {
		t.Errorf("it was written: %v\n%v", before, after)
	}

	told := len(g.told())
	if err := deleted("service", "GW-lb")(g); err != nil {
		t.Fatal(err)
	}
	g.says(api.ConditionReady, api.ReasonFreshBlocked, "Service/NS/GW-lb is missing")
	g.Await("somebody is told", func(context.Context) error {
		if len(g.told()) == told {
			return errors.New("nobody was")
		}
		return nil
	})
	if events := g.told()[told:]; len(events) != 1 || events[0].Type != corev1.EventTypeWarning || events[0].Reason != api.ReasonFreshBlocked {
		t.Errorf("%v", events)
	}
	if n := g.node(); !n.Online {
		t.Errorf("the node is offline: %+v", n)
	}
	if err := labtest.Ready(g.AwaitReady(g.namespace, runs+"-0")); err != nil {
		t.Error(err)
	}
}

// passes is how many passes of gateways the guarded minter has ended.
func (g *gateway) passes() (n int) {
	g.Helper()
	body, err := g.Get(g.Context(), "", fmt.Sprintf("http://127.0.0.1:%d/metrics", guardedMetrics))
	if err != nil {
		g.Fatal(err)
	}
	for line := range strings.Lines(body) {
		var count float64
		if strings.HasPrefix(line, `controller_runtime_reconcile_total{controller="tailnetgateway"`) {
			if _, err := fmt.Sscan(line[strings.LastIndex(line, " "):], &count); err != nil {
				g.Fatal(err)
			}
			n += int(count)
		}
	}
	return n
}
