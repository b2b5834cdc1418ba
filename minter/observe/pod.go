package observe

import (
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Names within the Pod, as the renderer writes them.
const (
	preflight = "kernel-preflight"
	tailscale = "tailscale"
	routesEnv = "TS_ROUTES"
)

// Pod is what matters of a Pod.
type Pod struct {
	Name, UID      string
	Labels         map[string]string
	Owner          string // UID of its controller
	ServiceAccount string
	Deleting       bool
	Preflight      Preflight
	Tailscale      Container
	Ready          bool // every container is running, and the Pod is ready
	Template            // that it was started from
}

// Preflight is how far the check before the containers is.
type Preflight uint8

// How the check can stand.
const (
	Pending Preflight = iota
	Passed
	Failed // at least once: the kubelet tries again
)

// Container is what has become of the Tailscale container.
type Container uint8

// What can have become of it. Only Waiting proves that it never started.
const (
	Unreported Container = iota // the kubelet has said nothing
	Waiting                     // never started
	Started                     // runs, or has run
)

// Template is what may change of the Pod's template (UP-02).
type Template struct {
	Images map[string]string // by container
	Routes []netip.Prefix    // in order; nil where the text is no list of prefixes
}

// Equal reports whether two templates say the same.
func (t Template) Equal(o Template) bool {
	if len(t.Images) != len(o.Images) || !slices.Equal(t.Routes, o.Routes) {
		return false
	}
	for name, image := range t.Images {
		if o.Images[name] != image {
			return false
		}
	}
	return true
}

// PodOf reads a Pod.
func PodOf(p *corev1.Pod) Pod {
	pod := Pod{
		Name: p.Name, UID: string(p.UID), Labels: p.Labels,
		ServiceAccount: p.Spec.ServiceAccountName,
		Deleting:       p.DeletionTimestamp != nil,
		Preflight:      preflightOf(p.Status),
		Tailscale:      tailscaleOf(p.Status),
		Ready:          ready(p),
		Template:       TemplateOf(p.Spec),
	}
	if owner := metav1.GetControllerOf(p); owner != nil {
		pod.Owner = string(owner.UID)
	}
	return pod
}

// TemplateOf reads a Pod's spec, or a template's.
func TemplateOf(spec corev1.PodSpec) Template {
	t := Template{Images: map[string]string{}}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		t.Images[c.Name] = c.Image
		for _, e := range c.Env {
			if c.Name == tailscale && e.Name == routesEnv {
				t.Routes = routes(e.Value)
			}
		}
	}
	return t
}

func routes(text string) []netip.Prefix {
	var out []netip.Prefix
	for s := range strings.SplitSeq(text, ",") {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil
		}
		out = append(out, p)
	}
	slices.SortFunc(out, netip.Prefix.Compare)
	return slices.Compact(out)
}

func preflightOf(s corev1.PodStatus) Preflight {
	c, ok := status(s.InitContainerStatuses, preflight)
	switch {
	case !ok:
		return Pending
	case c.State.Terminated != nil && c.State.Terminated.ExitCode == 0:
		return Passed
	case c.State.Terminated != nil || c.LastTerminationState.Terminated != nil || c.RestartCount > 0:
		return Failed
	}
	return Pending
}

func tailscaleOf(s corev1.PodStatus) Container {
	c, ok := status(s.ContainerStatuses, tailscale)
	never := corev1.ContainerState{}
	switch {
	case !ok:
		return Unreported
	case c.State.Running != nil || c.State.Terminated != nil || c.LastTerminationState != never ||
		c.RestartCount > 0 || c.ContainerID != "" || c.Started != nil && *c.Started:
		return Started
	case c.State.Waiting != nil:
		return Waiting
	}
	return Unreported
}

func status(all []corev1.ContainerStatus, name string) (corev1.ContainerStatus, bool) {
	i := slices.IndexFunc(all, func(c corev1.ContainerStatus) bool { return c.Name == name })
	if i < 0 {
		return corev1.ContainerStatus{}, false
	}
	return all[i], true
}

func ready(p *corev1.Pod) bool {
	if p.Status.Phase != corev1.PodRunning || len(p.Status.ContainerStatuses) != len(p.Spec.Containers) {
		return false
	}
	for _, c := range p.Status.ContainerStatuses {
		if !c.Ready || c.State.Running == nil {
			return false
		}
	}
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
