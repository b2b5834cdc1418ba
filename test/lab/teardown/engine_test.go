//go:build lab && linux

package teardown

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// complete takes gateways, which are declared, to their completion receipt, and gives
// each the node and the state that its Pod would have made.
func (p *place) complete(gs ...*gateway) {
	p.Helper()
	p.serve(gs...)
	for _, g := range gs {
		g.awaitPhase(registry.Complete)
	}
	p.join(gs...)
}

// serve lets the engine create the nine of gateways, and a stand-in report about their
// Pods.
func (p *place) serve(gs ...*gateway) {
	p.Helper()
	p.Background(func(ctx context.Context) {
		poll(ctx, func() bool { return p.sync(ctx, gs) })
	})
	p.Background(p.kubelet)
}

// sync creates what may be created. It is done when every gateway is complete.
func (p *place) sync(ctx context.Context, gs []*gateway) (done bool) {
	var m corev1.ConfigMap
	if _, err := p.Find(ctx, api.BindingsName, &m); err != nil {
		return false
	}
	done = true
	for _, g := range gs {
		e, _, err := registry.Read(m.Data, g.name)
		if err == nil && e.Phase == registry.Open && e.StateUID != g.applied && g.createNine(ctx, m.Data) == nil {
			g.applied = e.StateUID
		}
		done = done && e.Phase == registry.Complete
	}
	return done
}

// createNine creates the nine as they are rendered. Where no policy fills in the UIDs
// the renderer does, from the registry.
func (g *gateway) createNine(ctx context.Context, data map[string]string) error {
	docs := append(g.sources(), g.manifest)
	if g.free {
		docs = append(docs, g.bindings(data))
	}
	nine := g.Resource
	for _, o := range g.Render(docs...) {
		u := &unstructured.Unstructured{Object: o}
		_, err := nine(apiserver.Person, u.GetKind(), g.Namespace).Create(ctx, u, metav1.CreateOptions{FieldManager: "engine"})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// bindings is a copy of the registry with this gateway's entry alone.
func (g *gateway) bindings(from map[string]string) labtest.Object {
	data := labtest.Object{}
	for _, field := range []string{api.BindingGatewayUID, api.BindingStateUID, api.BindingPhase} {
		key := api.BindingKey(g.name, field)
		data[key] = from[key]
	}
	return labtest.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": labtest.Object{"name": api.BindingsName, "namespace": g.Namespace}, "data": data}
}

// kubelet says of every Pod what a kubelet says of one whose check has passed and
// whose Secret is missing.
func (p *place) kubelet(ctx context.Context) {
	poll(ctx, func() bool {
		_ = p.report(ctx) // or in the next round
		return false
	})
}

func (p *place) report(ctx context.Context) error {
	pods := p.Client(apiserver.Admin).CoreV1().Pods(p.Namespace)
	changes, err := pods.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer changes.Stop()
	for e := range changes.ResultChan() {
		pod, ok := e.Object.(*corev1.Pod)
		if !ok || e.Type == "DELETED" || pod.DeletionTimestamp != nil || len(pod.Status.ContainerStatuses) > 0 {
			continue
		}
		if _, err := pods.UpdateStatus(ctx, waiting(pod), metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return errors.New("the watch has ended")
}

func waiting(pod *corev1.Pod) *corev1.Pod {
	for _, c := range pod.Spec.InitContainers {
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}},
		})
	}
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError"}},
		})
	}
	return pod
}
