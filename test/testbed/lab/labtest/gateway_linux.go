package labtest

import (
	"context"
	"fmt"

	"github.com/miekg/dns"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// ScaleShipped sets how many Pods the shipped minter has, and waits until there are no
// others.
func (w *World) ScaleShipped(n int) {
	w.Helper()
	const namespace = api.DefaultOperatorNamespace
	w.Must(apiserver.Admin, "", "scale", "deployment", api.MinterName, "--namespace="+namespace, fmt.Sprintf("--replicas=%d", n))
	w.Await("the minters are as many", func(ctx context.Context) error {
		pods, err := w.Client(apiserver.Admin).CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=" + api.MinterName})
		if err == nil && len(pods.Items) != n {
			err = fmt.Errorf("%d are there", len(pods.Items))
		}
		return err
	})
}

// Approve approves routes of a node as soon as Headscale has it.
func (w *World) Approve(name string, routes ...string) {
	w.Helper()
	h := w.Headscale()
	w.Await(name+" is approved", func(ctx context.Context) error {
		node, err := h.Node(ctx, name)
		if err != nil {
			return err
		}
		return h.Approve(ctx, node.ID, routes...)
	})
}

// Answers waits until a server has one address for a name, and no other.
func (w *World) Answers(server, name, address string) {
	w.Helper()
	w.Await(name+" is answered", func(ctx context.Context) error {
		m, err := w.Ask(ctx, lab.OnNode, "udp", server, name, dns.TypeA)
		if err != nil {
			return err
		}
		if len(m.Answer) == 1 {
			if a, ok := m.Answer[0].(*dns.A); ok && a.A.String() == address {
				return nil
			}
		}
		return fmt.Errorf("the answer is %v", m.Answer)
	})
}
