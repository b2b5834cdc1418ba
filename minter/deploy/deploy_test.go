package deploy

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
)

func deployment(t *testing.T) appsv1.Deployment {
	t.Helper()
	var d appsv1.Deployment
	kustomize(t, ".").get(t, "Deployment", api.DefaultOperatorNamespace, api.MinterName, &d)
	if n := len(d.Spec.Template.Spec.Containers); n != 1 {
		t.Fatalf("%d containers", n)
	}
	return d
}

// Two replicas, of which one works; a drain takes one at a time, and one that never
// became ready holds up no drain.
func TestReplicas(t *testing.T) {
	d := deployment(t)
	if n := d.Spec.Replicas; n == nil || *n != 2 {
		t.Errorf("replicas %v", n)
	}
	if args := d.Spec.Template.Spec.Containers[0].Args; !slices.Contains(args, "--enable-leader-election") {
		t.Errorf("no leader election: %v", args)
	}
	var budget policyv1.PodDisruptionBudget
	kustomize(t, ".").get(t, "PodDisruptionBudget", api.DefaultOperatorNamespace, api.MinterName, &budget)
	if m := budget.Spec.MaxUnavailable; m == nil || m.IntValue() != 1 {
		t.Errorf("maxUnavailable %v", m)
	}
	if p := budget.Spec.UnhealthyPodEvictionPolicy; p == nil || *p != policyv1.AlwaysAllow {
		t.Errorf("unhealthyPodEvictionPolicy %v", p)
	}
	own := labels.Set(d.Spec.Template.Labels)
	selectors := []*metav1.LabelSelector{d.Spec.Selector, budget.Spec.Selector}
	for _, c := range d.Spec.Template.Spec.TopologySpreadConstraints {
		selectors = append(selectors, c.LabelSelector)
	}
	for _, s := range selectors {
		selector, err := metav1.LabelSelectorAsSelector(s)
		if err != nil || selector.Empty() || !selector.Matches(own) {
			t.Errorf("selector %v does not select %v: %v", s, own, err)
		}
	}
	if len(selectors) != 3 {
		t.Errorf("%d selectors, want 3", len(selectors))
	}
}

// The image is one that the product itself would accept for a gateway.
//
// REQ: CF-03
func TestImage(t *testing.T) {
	image := deployment(t).Spec.Template.Spec.Containers[0].Image
	if _, ok := model.ParseImage(image); !ok {
		t.Errorf("%s pins no full version", image)
	}
}

// The process can write nothing on its node, and knows the namespace that it is
// in. That it satisfies the restricted profile is for an API server to say.
func TestContainer(t *testing.T) {
	spec := deployment(t).Spec.Template.Spec
	c := spec.Containers[0]
	s := c.SecurityContext
	if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.RunAsUser == nil || *s.RunAsUser == 0 {
		t.Errorf("security context %+v", s)
	}
	if len(spec.Volumes) != 0 || len(c.VolumeMounts) != 0 || spec.HostNetwork || spec.HostPID || spec.HostIPC {
		t.Error("the Pod has a volume, or something of its host")
	}
	if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
		t.Errorf("resources %+v", c.Resources)
	}
	want := corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}
	if len(c.Env) != 1 || c.Env[0].ValueFrom == nil || c.Env[0].ValueFrom.FieldRef == nil || *c.Env[0].ValueFrom.FieldRef != *want.FieldRef {
		t.Errorf("environment %+v", c.Env)
	}
}
