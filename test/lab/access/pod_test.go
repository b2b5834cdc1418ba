//go:build lab

package access

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// open opens the gateway's entry and creates the nine. All of it is deleted at the
// end.
func (l lab) open() {
	l.Helper()
	l.register()
	l.apply(l.nine())
}

// register creates the registry, as the minter does.
func (l lab) register() {
	l.Helper()
	_, err := l.client(minter()).CoreV1().ConfigMaps(namespace).Create(l.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: api.BindingsName}, Data: registry(),
	}, metav1.CreateOptions{})
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		l.kubectl("", "delete", "configmap", api.BindingsName, "--namespace", namespace, "--ignore-not-found")
	})
}

// apply creates the nine as an engine does, as soon as the policies let it. They
// are deleted at the end.
func (l lab) apply(nine []*unstructured.Unstructured) {
	l.Helper()
	engine := l.dynamic(apiserver.FluxEngine)
	for _, o := range nine {
		objects := engine.Resource(resources[o.GetKind()]).Namespace(namespace)
		l.eventually(o.GetKind()+" "+o.GetName()+" is created", func() bool {
			_, err := objects.Create(l.Context(), o.DeepCopy(), metav1.CreateOptions{})
			return err == nil // the policies take in the registry a moment later
		})
		l.Cleanup(func() {
			l.kubectl("", "delete", o.GetKind(), o.GetName(), "--namespace", namespace, "--ignore-not-found")
		})
	}
}

// A gateway's Pod may do three things to one Secret.
//
// REQ: PD-06
func TestPod(t *testing.T) {
	l := start(t)
	l.open()
	pod := account(namespace, gateway)
	want := anybody(namespace)
	for _, verb := range []string{"get", "update", "patch"} {
		want[question{namespace, "", "secrets", api.StateSecretName(gateway), verb}] = true
	}
	l.same("its rules", l.rules(pod, namespace), want)
	l.same("elsewhere", l.rules(pod, another), anybody(another))
	for _, in := range []string{namespace, another, ""} {
		l.same("in "+in, l.allowed(pod, l.grid(in)), anybody(in))
	}
	var named []question
	for _, name := range []string{
		api.StateSecretName(gateway), api.AuthSecretName(gateway), api.StateSecretName("other"),
		api.WorkingKeySecretName("home"), "headscale-bootstrap", gateway,
	} {
		for _, verb := range verbs {
			named = append(named, question{namespace, "", "secrets", name, verb}, question{another, "", "secrets", name, verb})
		}
	}
	for _, q := range anybodyQuestions(namespace) {
		delete(want, q)
	}
	l.same("Secrets by name", l.allowed(pod, named), want)
}

func anybodyQuestions(namespace string) []question {
	var all []question
	for q := range anybody(namespace) {
		all = append(all, q)
	}
	return all
}
