//go:build lab

package access

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// The minter's Pod passes where the restricted profile is enforced; a gateway's,
// which needs NET_ADMIN and a host path, only in a namespace like the operator's.
//
// REQ: PD-01
func TestPodSecurity(t *testing.T) {
	l := start(t)
	admin := l.client(apiserver.Admin)
	d, err := admin.AppsV1().Deployments(namespace).Get(t.Context(), api.MinterName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var set appsv1.StatefulSet
	for _, o := range l.nine() {
		if o.GetKind() == "StatefulSet" {
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &set); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, level := range []string{"restricted", "baseline"} {
		l.kubectl(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "`+level+`", "labels": {"pod-security.kubernetes.io/enforce": "`+level+`"}}}`,
			"apply", "--server-side", "-f", "-")
	}
	for in, gateways := range map[string]bool{"restricted": false, "baseline": false, namespace: true} {
		for _, name := range []string{api.MinterName, gateway} {
			l.kubectl(`{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "`+name+`", "namespace": "`+in+`"}}`,
				"apply", "--server-side", "--field-manager=test", "-f", "-")
		}
		l.passes("the minter in "+in, l.runs(in, d.Spec.Template))
		err := l.runs(in, set.Spec.Template)
		if refused := err != nil && strings.Contains(err.Error(), "violates PodSecurity"); refused == gateways || gateways && err != nil {
			t.Errorf("a gateway in %s: %v", in, err)
		}
	}
	l.kubectl("", "delete", "serviceaccount", gateway, "--namespace", namespace)
}

// runs creates a Pod of a template, without keeping it.
func (l lab) runs(in string, template corev1.PodTemplateSpec) error {
	l.Helper()
	_, err := l.client(apiserver.Admin).CoreV1().Pods(in).Create(l.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "x", Labels: template.Labels}, Spec: template.Spec,
	}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}
