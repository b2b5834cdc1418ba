package observe

import (
	"net/netip"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// waitingPod is the Pod of a set that waits for its key, as the API server showed
// it (lab notes, "Mint last was tried").
const waitingPod = `
metadata:
  name: gw1-0
  uid: p-1
  labels: {tsunaro.io/gateway-uid: g-1, tsunaro.io/state-uid: s-1}
  ownerReferences:
  - {apiVersion: example/v1, kind: Else, name: x, uid: o-1}
  - {apiVersion: apps/v1, kind: StatefulSet, name: gw1, uid: set-1, controller: true}
spec:
  serviceAccountName: gw1
  initContainers: [{name: kernel-preflight, image: "ts:1.2.3", env: [{name: TS_ROUTES, value: 10.9.0.0/16}]}]
  containers:
  - {name: tailscale, image: "ts:1.2.3", env: [{name: A, value: b}, {name: TS_ROUTES, value: "192.168.10.0/24,10.99.0.0/24"}]}
  - {name: coredns, image: "dns:1.2.3"}
status:
  phase: Pending
  initContainerStatuses: [{name: kernel-preflight, ready: true, restartCount: 0, image: x, imageID: x, state: {terminated: {exitCode: 0}}}]
  containerStatuses:
  - {name: coredns, ready: false, restartCount: 0, image: x, imageID: "", state: {running: {}}}
  - {name: tailscale, ready: false, restartCount: 0, image: x, imageID: "", started: false, state: {waiting: {reason: CreateContainerConfigError}}}
`

// REQ: LC-11, UP-05
func TestPodOf(t *testing.T) {
	p := PodOf(decoded[corev1.Pod](t, waitingPod))
	if p.Name != "gw1-0" || p.UID != "p-1" || p.Owner != "set-1" || p.ServiceAccount != "gw1" || p.Deleting || p.Ready ||
		p.Preflight != Passed || p.Tailscale != Waiting || p.Labels["tsunaro.io/state-uid"] != "s-1" {
		t.Errorf("%+v", p)
	}
	want := []netip.Prefix{netip.MustParsePrefix("10.99.0.0/24"), netip.MustParsePrefix("192.168.10.0/24")}
	if !slices.Equal(p.Routes, want) || len(p.Images) != 3 || p.Images["coredns"] != "dns:1.2.3" {
		t.Errorf("%+v", p.Template)
	}
}

// Only a container of which the kubelet says that it waits, and has never done
// anything else, has certainly not started.
//
// REQ: LC-11, LC-22
func TestTailscaleOf(t *testing.T) {
	for why, c := range map[string]struct {
		change func(*corev1.ContainerStatus)
		want   Container
	}{
		"waits":           {func(*corev1.ContainerStatus) {}, Waiting},
		"nothing is said": {func(s *corev1.ContainerStatus) { s.State = corev1.ContainerState{} }, Unreported},
		"runs": {func(s *corev1.ContainerStatus) {
			s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		}, Started},
		"has ended": {func(s *corev1.ContainerStatus) {
			s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
		}, Started},
		"had ended before": {func(s *corev1.ContainerStatus) {
			s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{}
		}, Started},
		"was restarted":      {func(s *corev1.ContainerStatus) { s.RestartCount = 1 }, Started},
		"has been made":      {func(s *corev1.ContainerStatus) { s.ContainerID = "containerd://x" }, Started},
		"is said to have":    {func(s *corev1.ContainerStatus) { yes := true; s.Started = &yes }, Started},
		"is not in the list": {func(s *corev1.ContainerStatus) { s.Name = "other" }, Unreported},
	} {
		p := decoded[corev1.Pod](t, waitingPod)
		c.change(&p.Status.ContainerStatuses[1])
		if got := PodOf(p).Tailscale; got != c.want {
			t.Errorf("%s: %d, want %d", why, got, c.want)
		}
	}
}

func TestPreflightOf(t *testing.T) {
	terminated := func(code int32) *corev1.ContainerStateTerminated {
		return &corev1.ContainerStateTerminated{ExitCode: code}
	}
	for why, c := range map[string]struct {
		status corev1.ContainerStatus
		want   Preflight
	}{
		"passed":       {corev1.ContainerStatus{State: corev1.ContainerState{Terminated: terminated(0)}}, Passed},
		"passed later": {corev1.ContainerStatus{State: corev1.ContainerState{Terminated: terminated(0)}, RestartCount: 2}, Passed},
		"failed":       {corev1.ContainerStatus{State: corev1.ContainerState{Terminated: terminated(1)}}, Failed},
		"is tried again": {corev1.ContainerStatus{
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}, RestartCount: 3,
			LastTerminationState: corev1.ContainerState{Terminated: terminated(1)},
		}, Failed},
		"runs":    {corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}, Pending},
		"pending": {corev1.ContainerStatus{}, Pending},
	} {
		p := decoded[corev1.Pod](t, waitingPod)
		c.status.Name = "kernel-preflight"
		p.Status.InitContainerStatuses = []corev1.ContainerStatus{c.status}
		if got := PodOf(p).Preflight; got != c.want {
			t.Errorf("%s: %d, want %d", why, got, c.want)
		}
		p.Status.InitContainerStatuses = nil
		if got := PodOf(p).Preflight; got != Pending {
			t.Errorf("%s: without a status %d", why, got)
		}
	}
}

// REQ: UP-05
func TestReady(t *testing.T) {
	running := func() *corev1.Pod {
		p := decoded[corev1.Pod](t, waitingPod)
		p.Status.Phase = corev1.PodRunning
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		for i := range p.Status.ContainerStatuses {
			s := &p.Status.ContainerStatuses[i]
			s.Ready, s.State = true, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		}
		return p
	}
	if !PodOf(running()).Ready {
		t.Error("a running Pod is not ready")
	}
	for why, change := range map[string]func(*corev1.Pod){
		"pending":                   func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending },
		"not ready":                 func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse },
		"no condition":              func(p *corev1.Pod) { p.Status.Conditions = nil },
		"a container is not ready":  func(p *corev1.Pod) { p.Status.ContainerStatuses[0].Ready = false },
		"a container does not run":  func(p *corev1.Pod) { p.Status.ContainerStatuses[1].State = corev1.ContainerState{} },
		"a container is not listed": func(p *corev1.Pod) { p.Status.ContainerStatuses = p.Status.ContainerStatuses[:1] },
	} {
		p := running()
		change(p)
		if PodOf(p).Ready {
			t.Errorf("%s: ready", why)
		}
	}
}

func TestTemplate(t *testing.T) {
	a, b := TemplateOf(decoded[corev1.Pod](t, waitingPod).Spec), TemplateOf(decoded[corev1.Pod](t, waitingPod).Spec)
	if !a.Equal(b) {
		t.Error("the same template is another")
	}
	for why, change := range map[string]func(*corev1.PodSpec){
		"another image":  func(s *corev1.PodSpec) { s.Containers[1].Image = "dns:2.0.0" },
		"another check":  func(s *corev1.PodSpec) { s.InitContainers[0].Image = "ts:2.0.0" },
		"another name":   func(s *corev1.PodSpec) { s.Containers[1].Name = "dns" },
		"fewer":          func(s *corev1.PodSpec) { s.InitContainers = nil },
		"fewer routes":   func(s *corev1.PodSpec) { s.Containers[0].Env[1].Value = "10.99.0.0/24" },
		"no routes":      func(s *corev1.PodSpec) { s.Containers[0].Env = nil },
		"no list at all": func(s *corev1.PodSpec) { s.Containers[0].Env[1].Value = "10.99.0.0/24,x" },
	} {
		spec := decoded[corev1.Pod](t, waitingPod).Spec
		change(&spec)
		if a.Equal(TemplateOf(spec)) {
			t.Errorf("%s: the same", why)
		}
	}
	spec := decoded[corev1.Pod](t, waitingPod).Spec
	spec.Containers[0].Env[1].Value = "10.99.0.0/24,192.168.10.0/24"
	if !a.Equal(TemplateOf(spec)) {
		t.Error("the order of the routes counts")
	}
}
