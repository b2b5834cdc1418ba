package labtest

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/test/testbed/apiserver"
)

// AwaitPod waits until a Pod is as wanted, and returns it as it then is.
func (w *World) AwaitPod(namespace, name, what string, is func(*corev1.Pod) error) (pod *corev1.Pod) {
	w.Helper()
	pods := w.Client(apiserver.Admin).CoreV1().Pods(namespace)
	w.Await("the Pod "+name+" "+what, func(ctx context.Context) (err error) {
		if pod, err = pods.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if err := is(pod); err != nil {
			return fmt.Errorf("%w (%s)", err, describe(pod))
		}
		return nil
	})
	return pod
}

// AwaitReady waits until a Pod is Ready.
func (w *World) AwaitReady(namespace, name string) *corev1.Pod {
	w.Helper()
	return w.AwaitPod(namespace, name, "is ready", Ready)
}

// Ready is no error for a Pod that is Ready and stays.
func Ready(pod *corev1.Pod) error {
	if pod.DeletionTimestamp != nil {
		return fmt.Errorf("it is being deleted")
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("it is not ready")
}

// Container is the status of a container or an init container of a Pod; the zero
// value, if it has none yet.
func Container(pod *corev1.Pod, name string) corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for _, c := range list {
			if c.Name == name {
				return c
			}
		}
	}
	return corev1.ContainerStatus{}
}

// describe is the state of a Pod's containers for a message.
func describe(pod *corev1.Pod) string {
	text := string(pod.Status.Phase)
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, c := range list {
			text += fmt.Sprintf("; %s ready %t, restarted %d times", c.Name, c.Ready, c.RestartCount)
			if s := c.State.Waiting; s != nil {
				text += ", waits: " + s.Reason + " " + s.Message
			}
			if s := c.State.Terminated; s != nil {
				text += fmt.Sprintf(", ended with %d: %s", s.ExitCode, s.Message)
			}
		}
	}
	return text
}

// Exec runs a command in a container of a Pod.
func (w *World) Exec(namespace, pod, container string, command ...string) apiserver.Result {
	w.Helper()
	args := []string{"exec", "--namespace=" + namespace, pod, "--container=" + container, "--"}
	return w.Kubectl(apiserver.Admin, "", append(args, command...)...)
}
