package inside

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

func (l *Lab) clientset() (*kubernetes.Clientset, error) {
	admin, err := l.access.Config(apiserver.Admin)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(admin)
}

// dnsService puts the cluster's DNS behind the address that Pods ask.
func (l *Lab) dnsService(ctx context.Context) error {
	client, err := l.clientset()
	if err != nil {
		return err
	}
	udp, tcp, port := corev1.ProtocolUDP, corev1.ProtocolTCP, int32(1053)
	dns, dnsTCP := "dns", "dns-tcp"
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-dns", Namespace: metav1.NamespaceSystem},
		Spec: corev1.ServiceSpec{ClusterIP: lab.DNSService, Ports: []corev1.ServicePort{
			{Name: dns, Port: 53, Protocol: udp}, {Name: dnsTCP, Port: 53, Protocol: tcp},
		}},
	}
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "kube-dns-node", Namespace: metav1.NamespaceSystem, Labels: map[string]string{discoveryv1.LabelServiceName: service.Name}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{lab.NodeAddress}}},
		Ports:       []discoveryv1.EndpointPort{{Name: &dns, Port: &port, Protocol: &udp}, {Name: &dnsTCP, Port: &port, Protocol: &tcp}},
	}
	if _, err := client.CoreV1().Services(service.Namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err = client.DiscoveryV1().EndpointSlices(slice.Namespace).Create(ctx, slice, metav1.CreateOptions{})
	return err
}

// balancer gives each LoadBalancer Service the address that it asks for, and asks
// nobody whether it is free: real clusters have MetalLB, or the like, for that.
// kube-proxy does the rest.
func (l *Lab) balancer(context.Context) error {
	client, err := l.clientset()
	if err != nil {
		return err
	}
	go func() {
		for tick := time.Tick(300 * time.Millisecond); ; <-tick {
			assign(context.Background(), client)
		}
	}()
	return nil
}

// assign gives what is missing now. An error, such as a restarting API server's,
// is the next round's matter.
func assign(ctx context.Context, client kubernetes.Interface) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	list, err := client.CoreV1().Services("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	for _, s := range list.Items {
		if s.Spec.Type != corev1.ServiceTypeLoadBalancer || s.Spec.LoadBalancerIP == "" || len(s.Status.LoadBalancer.Ingress) != 0 {
			continue
		}
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: s.Spec.LoadBalancerIP}}
		if _, err := client.CoreV1().Services(s.Namespace).UpdateStatus(ctx, &s, metav1.UpdateOptions{}); err != nil {
			return
		}
	}
}
