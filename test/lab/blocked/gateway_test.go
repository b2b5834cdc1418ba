//go:build lab && linux

package blocked

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// gateway is one of a test's own, with what Git says about it.
type gateway struct {
	*labtest.World
	name, namespace          string
	manifest, tailnet, hosts object
}

// newGateway is a gateway of a Tailnet. Nothing is applied yet.
func newGateway(t testing.TB, w *labtest.World, name, tailnetName, namespace string) *gateway {
	t.Helper()
	return &gateway{
		World: w.In(t), name: name, namespace: namespace,
		manifest: object{
			"apiVersion": api.APIVersion, "kind": api.KindTailnetGateway, "metadata": object{"name": name},
			"spec": spec(name, tailnetName, <-numbers),
		},
		tailnet: tailnet(tailnetName, namespace, nil), hosts: hosts(tailnetName, namespace),
	}
}

// kubectl is a person's. In the arguments GW stands for the gateway's name and NS
// for the operator namespace.
func (g *gateway) kubectl(args ...string) error {
	g.Helper()
	for i := range args {
		args[i] = g.fill(args[i])
	}
	if r := g.Kubectl(apiserver.Person, "", args...); r.Code != 0 {
		return fmt.Errorf("kubectl %s: exit code %d: %s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
	}
	return nil
}

// fill writes the gateway's own names into a text.
func (g *gateway) fill(text string) string {
	return names.ReplaceAllStringFunc(text, func(name string) string {
		switch name {
		case "GW":
			return g.name
		case "NS":
			return g.namespace
		}
		return api.BindingKey(g.name, "")
	})
}

// names stand for the gateway's name, for its namespace, and for the beginning of
// its keys in the registry.
var names = regexp.MustCompile(`\bGW\b|\bNS\b|\bKEY_`)

// commit applies the CR as it stands in Git.
func (g *gateway) commit() { g.Helper(); apply(g.World, g.manifest) }

// change commits another value of a field of the spec, and returns what takes it
// back.
func (g *gateway) change(value any, path ...string) (revert func()) {
	g.Helper()
	was := text(g.manifest)
	set(g.manifest, value, append([]string{"spec"}, path...)...)
	g.commit()
	return func() {
		g.Helper()
		clear(g.manifest)
		if err := json.Unmarshal([]byte(was), &g.manifest); err != nil {
			g.Fatal(err)
		}
		g.commit()
	}
}

// await waits until the gateway's status is about the present generation, and as
// wanted.
func (g *gateway) await(what string, is func(seen) error) seen {
	g.Helper()
	return shared.view.await(g, api.KindTailnetGateway, g.name, what, func(s *seen) error {
		switch {
		case s == nil:
			return errors.New("it is not there")
		case !s.current():
			return fmt.Errorf("its status is about generation %d", s.observed)
		}
		return is(*s)
	})
}

// says waits until a condition has a reason, and its message holds all texts.
func (g *gateway) says(condition, reason string, texts ...string) seen {
	g.Helper()
	for i := range texts {
		texts[i] = g.fill(texts[i])
	}
	return g.await(fmt.Sprintf("says %s %s %q", condition, reason, texts), func(s seen) error {
		c := s.condition(condition)
		if c.Reason != reason {
			return fmt.Errorf("it is %s", c.Reason)
		}
		for _, t := range texts {
			if !strings.Contains(c.Message, t) {
				return fmt.Errorf("the message lacks %q: %s", t, c.Message)
			}
		}
		return nil
	})
}

// stage is how far a gateway is.
type stage int

const (
	nothing   stage = iota // is applied
	suspended              // the CR is, and is suspended
	bound                  // the nine may be created
	placed                 // all nine are there, and the Pod has not been reported about
	complete               // the completion receipt is there
)

// reach brings the gateway to a stage.
func (g *gateway) reach(to stage) {
	g.Helper()
	if to == nothing {
		return
	}
	if to == suspended {
		set(g.manifest, true, "spec", "suspend")
		g.commit()
		set(g.manifest, false, "spec", "suspend")
		g.says(api.ConditionReady, api.ReasonSuspended)
		return
	}
	g.commit()
	g.says(api.ConditionBound, api.ReasonBindingOpen)
	if to == bound {
		return
	}
	g.engine()
	g.says(api.ConditionReady, api.ReasonProvisioning, "Pod/NS/GW-0")
	if to == complete {
		g.standIn()
		g.completed()
	}
}

// completed waits until the binding is complete.
func (g *gateway) completed() seen {
	g.Helper()
	return g.await("is complete", func(s seen) error {
		if !isComplete(s) {
			return fmt.Errorf("Bound is %s, Ready is %s", s.condition(api.ConditionBound).Reason, s.condition(api.ConditionReady).Reason)
		}
		return nil
	})
}

func isComplete(s seen) bool {
	switch s.condition(api.ConditionReady).Reason {
	case api.ReasonRuntimeNotReady, api.ReasonIdentityUnproven, api.ReasonFreshRuntimeReady:
		return s.condition(api.ConditionBound).Reason == api.ReasonBindingComplete
	}
	return false
}

// nine are the resources as the engine renders them. Where no policy fills in the
// UIDs the function does, from a copy of the registry.
func (g *gateway) nine() []object {
	g.Helper()
	docs := []object{g.tailnet, g.hosts, g.manifest}
	if g.namespace == free {
		docs = append(docs, g.registry())
	}
	return rendered(g.World, docs...)
}

// registry is a copy of the registry with this gateway's entry alone.
func (g *gateway) registry() object {
	g.Helper()
	m, err := g.Client(apiserver.Admin).CoreV1().ConfigMaps(g.namespace).Get(g.Context(), api.BindingsName, metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	data := object{}
	for _, field := range []string{api.BindingGatewayUID, api.BindingStateUID, api.BindingPhase} {
		key := api.BindingKey(g.name, field)
		if value, ok := m.Data[key]; ok {
			data[key] = value
		}
	}
	return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": api.BindingsName, "namespace": g.namespace}, "data": data}
}

// engine is kubectl in the place of a GitOps engine: it applies the nine until they
// are taken.
func (g *gateway) engine() {
	g.Helper()
	g.Await("the nine of "+g.name+" are applied", func(ctx context.Context) error { return put(ctx, g.World, g.nine()...) })
}

// standIn stands in for the kubelet until the test ends: it reports that the
// preflight check of the gateway's Pod has passed, and that Tailscale waits.
func (g *gateway) standIn() {
	g.Helper()
	events, err := g.Client(apiserver.Admin).CoreV1().Pods(g.namespace).Watch(g.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + g.name + "-0"})
	if err != nil {
		g.Fatal(err)
	}
	go func() {
		for e := range events.ResultChan() {
			pod, ok := e.Object.(*corev1.Pod)
			if ok && e.Type != "DELETED" && pod.DeletionTimestamp == nil && len(pod.Status.ContainerStatuses) == 0 {
				_ = g.tell(pod.Name, waiting) // one that is gone meanwhile comes again
			}
		}
	}()
}

// What a kubelet can report.
var (
	waiting = report(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}},
		corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError"}})
	failing = report(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}},
		corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}})
	started = report(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}},
		corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
)

func report(preflight, tailscale corev1.ContainerState) corev1.PodStatus {
	return corev1.PodStatus{
		Phase:                 corev1.PodPending,
		InitContainerStatuses: []corev1.ContainerStatus{{Name: "kernel-preflight", State: preflight}},
		ContainerStatuses: []corev1.ContainerStatus{
			{Name: "tailscale", State: tailscale},
			{Name: "coredns", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}}},
		},
	}
}

// tell reports about a Pod as a kubelet does.
func (g *gateway) tell(pod string, s corev1.PodStatus) error {
	b, err := json.Marshal(map[string]any{"status": s})
	if err != nil {
		return err
	}
	_, err = g.Client(apiserver.Admin).CoreV1().Pods(g.namespace).Patch(g.Context(), pod, types.MergePatchType, b, metav1.PatchOptions{}, "status")
	return err
}

// awaitPod waits for the gateway's Pod.
func (g *gateway) awaitPod() {
	g.Helper()
	g.AwaitPod(g.namespace, g.name+"-0", "is there", func(*corev1.Pod) error { return nil })
}
