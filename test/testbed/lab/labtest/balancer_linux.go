package labtest

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/test/testbed/apiserver"
)

// noAddresses is a load balancer that has none left: a policy keeps the lab's from
// giving any.
const noAddresses = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: lab-no-addresses}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [services/status], operations: [UPDATE]}
  validations:
  - {expression: '!has(object.status.loadBalancer.ingress)', message: no address is left}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: lab-no-addresses}
spec: {policyName: lab-no-addresses, validationActions: [Deny]}
`

// TakeAddress takes a Service's address back. As long as nobody calls GiveAddresses
// the lab's load balancer gives none any more, to no Service.
func (w *World) TakeAddress(namespace, service string) {
	w.Helper()
	w.Must(apiserver.Admin, noAddresses, "apply", "--server-side", "-f", "-")
	services := w.Client(apiserver.ServiceAccount("lab", "load-balancer")).CoreV1().Services(namespace)
	w.Await("the address is taken back for good", func(ctx context.Context) error {
		s, err := services.Get(ctx, service, metav1.GetOptions{})
		if err != nil {
			return err
		}
		given := s.DeepCopy()
		given.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: s.Spec.LoadBalancerIP}}
		if _, err := services.UpdateStatus(ctx, given, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}}); err == nil || !strings.Contains(err.Error(), "no address is left") {
			return fmt.Errorf("it would be given again: %w", err)
		}
		s.Status.LoadBalancer = corev1.LoadBalancerStatus{}
		_, err = services.UpdateStatus(ctx, s, metav1.UpdateOptions{})
		return err
	})
}

// GiveAddresses lets the load balancer give addresses again.
func (w *World) GiveAddresses() {
	w.Helper()
	w.Must(apiserver.Admin, noAddresses, "delete", "-f", "-")
}
