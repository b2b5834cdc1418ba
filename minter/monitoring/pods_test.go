package monitoring

import (
	"os"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"tsunaro.io/gateway/renderer/api"
)

// pods are the templates that Prometheus is to find: the minter's as it is deployed,
// and a gateway's as it is rendered.
func pods(t *testing.T) map[string]corev1.PodTemplateSpec {
	t.Helper()
	var minter appsv1.Deployment
	kustomize(t, "../deploy").get(t, "Deployment/"+api.MinterName, &minter)
	rendered, err := os.ReadFile("../../examples/home-lab/expected/build.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var gateway appsv1.StatefulSet
	documents(t, rendered).get(t, "StatefulSet/lab-gw", &gateway)
	return map[string]corev1.PodTemplateSpec{"tsunaro-minter": minter.Spec.Template, "tsunaro-gateway": gateway.Spec.Template}
}

// ports are the TCP ports of a Pod, by name.
func ports(t *testing.T, pod corev1.PodTemplateSpec) map[string]int32 {
	t.Helper()
	all := map[string]int32{}
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if all[p.Name] != 0 {
				t.Errorf("two ports %s", p.Name)
			}
			if p.Protocol == corev1.ProtocolTCP || p.Protocol == "" {
				all[p.Name] = p.ContainerPort
			}
		}
	}
	return all
}

// Each PodMonitor selects the Pods that it is for and no others, in the namespace
// that they are in, by ports that they have.
//
// REQ: ST-04
func TestPodMonitorsFindThePods(t *testing.T) {
	want := map[string]map[string]int32{
		"tsunaro-minter":  {"metrics": 8080},
		"tsunaro-gateway": {"kernel-health": 8080, "metrics-dns": 9153},
	}
	b := kustomize(t, ".")
	for name, endpoints := range want {
		var m podMonitor
		b.get(t, "PodMonitor/"+name, &m)
		if m.Namespace != api.DefaultOperatorNamespace {
			t.Errorf("%s is in %s", name, m.Namespace)
		}
		selector, err := metav1.LabelSelectorAsSelector(&m.Spec.Selector)
		if err != nil {
			t.Fatal(err)
		}
		for pod, template := range pods(t) {
			if got := selector.Matches(labels.Set(template.Labels)); got != (pod == name) {
				t.Errorf("%s selects the Pods of %s: %v", name, pod, got)
			}
		}
		has := ports(t, pods(t)[name])
		for _, e := range m.Spec.Endpoints {
			if has[e.Port] == 0 || has[e.Port] != endpoints[e.Port] {
				t.Errorf("%s: port %s is %d, want %d", name, e.Port, has[e.Port], endpoints[e.Port])
			}
		}
		if len(m.Spec.Endpoints) != len(endpoints) {
			t.Errorf("%s: %d endpoints", name, len(m.Spec.Endpoints))
		}
	}
}

// The jobs have the names that alerts and dashboard know them by, and a gateway's
// series its name.
func TestJobs(t *testing.T) {
	b, templates := kustomize(t, "."), pods(t)
	var minter, gateway podMonitor
	b.get(t, "PodMonitor/tsunaro-minter", &minter)
	b.get(t, "PodMonitor/tsunaro-gateway", &gateway)
	if got := templates["tsunaro-minter"].Labels[minter.Spec.JobLabel]; got != "tsunaro-minter" {
		t.Errorf("the minter's job is %q", got)
	}
	const label = "__meta_kubernetes_pod_label_"
	source := label + strings.NewReplacer(".", "_", "/", "_", "-", "_").Replace(api.LabelGateway)
	if templates["tsunaro-gateway"].Labels[api.LabelGateway] != "lab-gw" {
		t.Errorf("the Pod has no label %s", api.LabelGateway)
	}
	for _, e := range gateway.Spec.Endpoints {
		targets := map[string]string{}
		for _, r := range e.Relabelings {
			targets[r.TargetLabel] = r.Replacement + strings.Join(r.SourceLabels, ";")
		}
		if len(targets) != 2 || targets["job"] != "tsunaro-gateway" || targets["gateway"] != source {
			t.Errorf("%s: %v", e.Port, targets)
		}
	}
}

// Tailscale serves metrics only where it is told to, and to others than its own Pod
// only on the Pod's address.
//
// REQ: PD-07
func TestTailscaleServesMetrics(t *testing.T) {
	env := map[string]string{}
	for _, c := range pods(t)["tsunaro-gateway"].Spec.Containers {
		for _, e := range c.Env {
			env[e.Name] = e.Value
		}
	}
	for name, want := range map[string]string{"TS_ENABLE_METRICS": "true", "TS_LOCAL_ADDR_PORT": "$(POD_IP):8080"} {
		if env[name] != want {
			t.Errorf("%s is %q, want %q", name, env[name], want)
		}
	}
}
