package completed

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/netip"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/renderer/api"
)

// makeState makes GW-state as Tailscale has filled it.
func (b *bootstrap) makeState() {
	b.state = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: api.StateSecretName(b.g.Name), Labels: map[string]string{api.LabelGatewayUID: string(b.g.UID)},
	}}
	const profile = "profile-5a31"
	b.state.Data = map[string][]byte{
		"_machinekey":      []byte(b.privateKey()),
		"_current-profile": []byte(profile),
		profile:            fmt.Appendf(nil, `{"ControlURL":%q,"Hostname":%q,"Config":{"PrivateNodeKey":%q}}`, b.Tailnet.Spec.ControlURL, b.g.Name, b.privateKey()),
	}
	b.create(b.state)
}

func (b *bootstrap) privateKey() string {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		b.err = err
		return ""
	}
	return "privkey:" + hex.EncodeToString(key.Bytes())
}

// makePod makes the Pod of the StatefulSet, and says what a kubelet would once all of
// it runs.
func (b *bootstrap) makePod() {
	if b.err != nil {
		return
	}
	set := b.nine[observe.Workload].(*appsv1.StatefulSet)
	pod := &corev1.Pod{Spec: *set.Spec.Template.Spec.DeepCopy()}
	pod.Name, pod.Labels = set.Name+"-0", set.Spec.Template.Labels
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	b.create(pod)
	if b.err != nil {
		return
	}
	pod.Status = running(pod)
	b.err = b.Client.Status().Update(b.ctx, pod)
	b.routes = observe.PodOf(pod).Routes
}

func running(pod *corev1.Pod) corev1.PodStatus {
	s := corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
	for _, c := range pod.Spec.InitContainers {
		s.InitContainerStatuses = append(s.InitContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}},
		})
	}
	for _, c := range pod.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		})
	}
	return s
}

// node is the one that has registered with the state, with the routes of the Pod,
// all of them approved.
func (b *bootstrap) node(number int) node.Node {
	state, err := proof.Read(b.state.Data)
	if err != nil {
		panic(err) // it has been made here
	}
	n := node.Node{
		MachineKey: state.Machine, NodeKey: state.Node, Name: b.g.Name, GivenName: b.g.Name, Online: true,
		Addresses: []netip.Addr{netip.AddrFrom4([4]byte{100, 64 + byte(number>>16), byte(number >> 8), byte(number)})},
	}
	for _, tag := range b.g.Spec.Tags {
		n.Tags = append(n.Tags, string(tag))
	}
	n.Advertised = b.routes
	n.Approved = n.Advertised
	return n
}
