//go:build lab && linux

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

var errOffline = errors.New("it is offline")

// TestGateway takes the home lab from an empty cluster to a laptop that reaches
// the LAN. Each step needs the one before.
func TestGateway(t *testing.T) {
	w := world(t)
	g := gateway{World: w, name: "lab-gw", headscale: w.Headscale(), manifest: w.Example("home-lab", overlay)}
	for _, step := range []struct {
		name string
		do   func(*gateway)
	}{
		{"refused before it is open", (*gateway).refused},
		{"bound", (*gateway).bound},
		{"waits for its key", (*gateway).waits},
		{"ready", (*gateway).ready},
		{"answers its zone", (*gateway).zone},
		{"has no more rights than it needs", (*gateway).privileges},
		{"is started as it should be", (*gateway).arguments},
		{"tells how it is", (*gateway).probes},
		{"mounts what each container needs", (*gateway).volumes},
		{"keeps what it was made with", (*gateway).pinned},
		{"may touch its own state and nothing else", (*gateway).account},
		{"follows its live zone", (*gateway).follows},
		{"leads into the LAN", (*gateway).routes},
		{"comes back as itself without a key", (*gateway).again},
	} {
		done := t.Run(step.name, func(t *testing.T) {
			within := g
			within.World = g.In(t)
			step.do(&within)
			within.World = g.World
			g = within
		})
		if !done {
			t.FailNow()
		}
	}
	memory, err := theLab.Memory()
	t.Logf("the lab uses %d MiB with its gateway (%v)", memory>>20, err) // docs/lab.md has it
}

// apply applies the build as a person does.
func (g *gateway) apply(flags ...string) apiserver.Result {
	g.Helper()
	return g.Kubectl(apiserver.Person, g.manifest, append([]string{"apply", "--server-side", "-f", "-"}, flags...)...)
}

// nine are those of the gateway's objects that exist.
func (g *gateway) nine() []unstructured.Unstructured {
	g.Helper()
	text := g.Must(apiserver.Admin, "", "get", "--namespace="+namespace, "--selector="+api.LabelGateway+"="+g.name, "--output=json",
		"statefulsets,services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets")
	var list unstructured.UnstructuredList
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		g.Fatal(err)
	}
	return list.Items
}

// refused applies the example to a cluster that knows nothing of the gateway: the
// CRs are taken, and none of the nine.
//
// REQ: RN-05, UP-11
func (g *gateway) refused() {
	r := g.apply()
	refused := labtest.Refusals(r)
	if r.Code == 0 || len(refused) != objects.Count {
		g.Errorf("exit code %d, %d refused, want %d:\n%s", r.Code, len(refused), objects.Count, r.Stderr)
	}
	for _, line := range refused {
		if !strings.Contains(line, "<unbound>") {
			g.Errorf("refused for another reason: %s", line)
		}
	}
	if got := g.nine(); len(got) != 0 {
		g.Errorf("%d objects exist", len(got))
	}
	g.Must(apiserver.Person, "", "get", "tailnetgateway", g.name)

	// Nor can a person open it: the minter's records are the minter's.
	person := g.Client(apiserver.Person).CoreV1()
	g.Await("nobody but the minter writes its records", func(ctx context.Context) error {
		dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
		_, err := person.ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: api.BindingsName}}, dry)
		if err == nil || !strings.Contains(err.Error(), "tsunaro-record") {
			return fmt.Errorf("the registry: %v", err)
		}
		return nil
	})
}

// bound applies the same file once more, as soon as there is an entry: the
// admission policy fills in the UIDs that exist by now.
//
// REQ: RN-02, RN-04, RN-05
func (g *gateway) bound() {
	g.open()
	g.Await("the example is taken", func(context.Context) error {
		if r := g.apply(); r.Code != 0 {
			return errors.New(r.Stderr)
		}
		return nil
	})
	nine := g.nine()
	if len(nine) != objects.Count {
		g.Errorf("%d objects, want %d", len(nine), objects.Count)
	}
	uids := map[string]string{api.LabelGatewayUID: g.uid, api.LabelStateUID: g.stateUID}
	selectors := 0
	for _, o := range nine {
		places := []map[string]string{o.GetLabels()}
		for _, path := range [][]string{{"spec", "selector"}, {"spec", "selector", "matchLabels"}, {"spec", "template", "metadata", "labels"}} {
			if m, ok, err := unstructured.NestedStringMap(o.Object, path...); ok && err == nil {
				places = append(places, m)
				selectors++
			}
		}
		for _, m := range places {
			for key, want := range uids {
				if m[key] != want {
					g.Errorf("%s/%s: %s is %q, want %q", o.GetKind(), o.GetName(), key, m[key], want)
				}
			}
		}
	}
	if want := 3 + 2 + 1; selectors != want { // of Services; of StatefulSet and budget; of the Pod
		g.Errorf("%d selectors and templates, want %d", selectors, want)
	}
}

func (g *gateway) podName() string { return g.name + "-0" }

// waits looks at the Pod before there is a key: the node is fit, and Tailscale has
// never started.
//
// REQ: LC-08, PD-02
func (g *gateway) waits() {
	g.AwaitPod(namespace, g.podName(), "waits for its key", func(pod *corev1.Pod) error {
		waiting := labtest.Container(pod, "tailscale").State.Waiting
		if waiting == nil || waiting.Reason != "CreateContainerConfigError" || !strings.Contains(waiting.Message, api.AuthSecretName(g.name)) {
			return errors.New("it does not wait for the Secret")
		}
		if done := labtest.Container(pod, "kernel-preflight").State.Terminated; done == nil || done.ExitCode != 0 {
			return errors.New("the preflight has not passed")
		}
		return nil
	})
	if nodes, err := g.headscale.Nodes(g.Context()); err != nil || len(nodes) != 1 {
		g.Errorf("%d nodes, want the laptop alone: %v", len(nodes), err)
	}
}

// ready mints, and the Pod that waited becomes a node of the tailnet.
//
// REQ: LC-08, PD-03, PD-04
func (g *gateway) ready() {
	g.mint()
	pod := g.AwaitReady(namespace, g.podName())
	for _, c := range pod.Status.ContainerStatuses {
		if !c.Ready || c.RestartCount != 0 {
			g.Errorf("%s: ready %t, restarted %d times", c.Name, c.Ready, c.RestartCount)
		}
	}
	g.register(map[string]string{api.BindingPhase: api.PhaseComplete})
	n := g.online()
	want := []string{"10.99.0.0/24", "192.168.10.0/24"}
	if !slices.Equal(n.Tags, []string{"tag:gateway"}) || !slices.Equal(n.AvailableRoutes, want) || len(n.ApprovedRoutes) != 0 {
		g.Errorf("node %+v", n)
	}
	if !strings.HasPrefix(n.Addresses[0], "100.64.") {
		g.Errorf("addresses %v", n.Addresses)
	}
}
