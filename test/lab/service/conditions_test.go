//go:build lab && linux

package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// Routes of the home lab: two that it has, one more, and one that nobody wants.
const (
	lanRoute      = "192.168.10.0/24"
	balancerRoute = lab.BalancerCIDR
	moreRoute     = "192.168.30.0/24"
	strangeRoute  = "10.77.0.0/24"
)

// conditions reaches what the conditions about a gateway in service can say, each by
// its cause. None of it makes the gateway less Ready, but for the deletion of its Pod.
//
// REQ: UP-02, UP-03, UP-04, UP-05, UP-06, UP-07, ST-04, ST-08
func (g *gateway) conditions() {
	for _, s := range []struct {
		name string
		do   func(*gateway)
	}{
		{"as committed", (*gateway).asCommitted},
		{"routes are approved", (*gateway).approved},
		{"routes change", (*gateway).routesChange},
		{"an image changes", (*gateway).imageChanges},
		{"the Pod is deleted", (*gateway).podDeleted},
		{"no address", (*gateway).noAddress},
		{"metadata", (*gateway).metadataOnly},
		{"suspended and resumed", (*gateway).resumed},
	} {
		g.step(s.name, s.do)
	}
}

func (g *gateway) asCommitted() {
	g.reaches(api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.readyGauge(1)
	g.reaches(api.ConditionWorkloadCurrent, api.ReasonPodCurrent, "GW-0 runs the current template.")
	g.reaches(api.ConditionServiceReady, api.ReasonLoadBalancerAssigned, "Service/NS/GW-lb has 10.99.0.53.")
	g.reaches(api.ConditionInSync, api.ReasonAsRendered)
	s := g.reaches(api.ConditionRoutesInSync, api.ReasonNotApproved, "Headscale has not approved "+balancerRoute+", "+lanRoute+".")
	if s.Status.ServiceIP != "10.99.0.53" {
		g.Errorf("status.serviceIP is %q", s.Status.ServiceIP)
	}
}

// approve approves routes at Headscale, as its administrator.
func (g *gateway) approve(routes ...string) {
	g.Helper()
	n, err := shared.headscale.Node(g.Context(), g.name)
	if err == nil {
		err = shared.headscale.Approve(g.Context(), n.ID, routes...)
	}
	if err != nil {
		g.Fatal(err)
	}
}

// REQ: UP-06
func (g *gateway) approved() {
	g.approve(balancerRoute)
	g.reaches(api.ConditionRoutesInSync, api.ReasonNotApproved, "has not approved "+lanRoute+".")
	g.approve(balancerRoute, strangeRoute)
	g.reaches(api.ConditionRoutesInSync, api.ReasonNotApproved, "has not approved "+lanRoute+".", "Approved but no longer wanted: "+strangeRoute+".")
	g.approve(balancerRoute, lanRoute, strangeRoute)
	s := g.reaches(api.ConditionRoutesInSync, api.ReasonApproved, "Approved but no longer wanted: "+strangeRoute+".")
	if got := fmt.Sprint(s.Status.ApprovedRoutes, s.Status.StaleRoutes); got != fmt.Sprintf("[%s %s] [%s]", balancerRoute, lanRoute, strangeRoute) {
		g.Errorf("status: approved and stale routes are %s", got)
	}
	g.approve(balancerRoute, lanRoute)
	g.await("has no stale routes", func(s seen) error {
		if c := s.condition(api.ConditionRoutesInSync); c.Reason != api.ReasonApproved || strings.Contains(c.Message, strangeRoute) {
			return errors.New(c.Message)
		}
		return nil
	})
}

// routesChange changes the routes in Git, and after that in the cluster. The Pod runs
// on: Ready is about its own routes.
//
// REQ: UP-02, UP-03, UP-05, UP-06
func (g *gateway) routesChange() {
	began, pod, before := time.Now(), g.AwaitReady(g.namespace, g.pod()), g.statefulSet()
	g.set([]any{lanRoute, moreRoute}, "routes", "lan")
	g.reaches(api.ConditionWorkloadCurrent, api.ReasonTemplateOutOfSync, "The template of StatefulSet/NS/GW is not the render of the current spec.")
	g.reaches(api.ConditionInSync, api.ReasonEngineBehind, "StatefulSet/NS/GW is not yet as rendered at spec.template.spec.containers[tailscale].env[TS_ROUTES].value")
	g.engine()
	g.reaches(api.ConditionWorkloadCurrent, api.ReasonPodTemplateStale, "GW-0 runs an older template: delete it", "Not advertised yet: "+moreRoute+".")
	g.reaches(api.ConditionInSync, api.ReasonAsRendered)
	g.reaches(api.ConditionRoutesInSync, api.ReasonApproved)

	g.set([]any{moreRoute}, "routes", "lan")
	g.engine()
	g.reaches(api.ConditionWorkloadCurrent, api.ReasonPodTemplateStale, "Not advertised yet: "+moreRoute+".", "Advertised beyond the template: "+lanRoute+".")
	s := g.reaches(api.ConditionRoutesInSync, api.ReasonApproved, "Approved but no longer wanted: "+lanRoute+".")
	if got := fmt.Sprint(s.Status.AdvertisedRoutes); got != "["+balancerRoute+" "+lanRoute+"]" {
		g.Errorf("status.advertisedRoutes is %s", got)
	}

	g.set([]any{lanRoute, moreRoute}, "routes", "lan")
	g.engine()
	g.says(api.ConditionWorkloadCurrent, api.ReasonPodTemplateStale, "Not advertised yet: "+moreRoute+".")
	g.still(began, api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.untouched(pod)
	g.sameButMutable(before)
}

// untouched checks that the Pod is the one that it was.
func (g *gateway) untouched(was *corev1.Pod) {
	g.Helper()
	now := g.AwaitReady(g.namespace, g.pod())
	if now.UID != was.UID {
		g.Error("the Pod was replaced")
	}
	for _, c := range []string{"tailscale", "coredns"} {
		if labtest.Container(now, c).ContainerID != labtest.Container(was, c).ContainerID {
			g.Errorf("%s was started anew", c)
		}
	}
}

// statefulSet is the gateway's StatefulSet.
func (g *gateway) statefulSet() *appsv1.StatefulSet {
	g.Helper()
	s, err := g.Client(apiserver.Admin).AppsV1().StatefulSets(g.namespace).Get(g.Context(), g.name, metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	return s
}

// sameButMutable checks that the StatefulSet is the one that it was, and that what
// the receipt pins of it has not changed.
//
// REQ: UP-02
func (g *gateway) sameButMutable(was *appsv1.StatefulSet) {
	g.Helper()
	is := g.statefulSet()
	before, err := verify.Digest(was)
	if err != nil {
		g.Fatal(err)
	}
	after, err := verify.Digest(is)
	if err != nil {
		g.Fatal(err)
	}
	if is.UID != was.UID || before != after {
		g.Error("more than routes and images of the StatefulSet has changed")
	}
	if is.ResourceVersion == was.ResourceVersion {
		g.Error("the StatefulSet has not changed at all")
	}
}

// imageChanges asks for another CoreDNS and takes that back. Nobody pulls it: the Pod
// is as it was.
//
// REQ: UP-02, UP-03
func (g *gateway) imageChanges() {
	began, pod := time.Now(), g.AwaitReady(g.namespace, g.pod())
	g.set("registry.example/coredns:v1.14.7", "images", "coredns")
	g.reaches(api.ConditionWorkloadCurrent, api.ReasonTemplateOutOfSync)
	g.reaches(api.ConditionInSync, api.ReasonEngineBehind, "StatefulSet/NS/GW is not yet as rendered at spec.template.spec.containers[coredns].image")
	g.engine()
	g.reaches(api.ConditionInSync, api.ReasonAsRendered)
	g.says(api.ConditionWorkloadCurrent, api.ReasonPodTemplateStale, "GW-0 runs an older template")
	unstructured.RemoveNestedField(g.cr, "spec", "images")
	g.commit()
	g.engine()
	g.says(api.ConditionInSync, api.ReasonAsRendered)
	g.still(began, api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.untouched(pod)
}

// podDeleted does what PodTemplateStale asks for. The node is the one that it was, and
// advertises one route more, which nobody has approved.
//
// REQ: UP-03, UP-05, UP-06, PD-09
func (g *gateway) podDeleted() {
	was, err := shared.headscale.Node(g.Context(), g.name)
	if err != nil {
		g.Fatal(err)
	}
	g.must("", "delete", "pod", "GW-0", "--namespace=NS")
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.reaches(api.ConditionWorkloadCurrent, api.ReasonPodCurrent)
	g.reaches(api.ConditionRoutesInSync, api.ReasonNotApproved, "Headscale has not approved "+moreRoute+".")
	g.approve(balancerRoute, lanRoute, moreRoute)
	g.reaches(api.ConditionRoutesInSync, api.ReasonApproved)
	is, err := shared.headscale.Node(g.Context(), g.name)
	if err != nil {
		g.Fatal(err)
	}
	if is.ID != was.ID || is.NodeKey != was.NodeKey || !slices.Equal(is.Addresses, was.Addresses) {
		g.Errorf("it came back as %+v, and was %+v", is, was)
	}
}

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

// noAddress lets the load balancer take the gateway's address back, and give it again.
//
// REQ: UP-04, ST-08
func (g *gateway) noAddress() {
	began := time.Now()
	g.World.Must(apiserver.Admin, noAddresses, "apply", "--server-side", "-f", "-")
	services := g.Client(apiserver.ServiceAccount("lab", "load-balancer")).CoreV1().Services(g.namespace)
	g.Await("the address is taken back for good", func(ctx context.Context) error {
		s, err := services.Get(ctx, api.LBServiceName(g.name), metav1.GetOptions{})
		if err != nil {
			return err
		}
		given := s.DeepCopy()
		given.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "10.99.0.53"}}
		if _, err := services.UpdateStatus(ctx, given, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}}); err == nil {
			return errors.New("it would be given again")
		}
		s.Status.LoadBalancer = corev1.LoadBalancerStatus{}
		_, err = services.UpdateStatus(ctx, s, metav1.UpdateOptions{})
		return err
	})
	s := g.reaches(api.ConditionServiceReady, api.ReasonLBPending, "Service/NS/GW-lb has no address yet.")
	if s.Status.ServiceIP != "" {
		g.Errorf("status.serviceIP is %q", s.Status.ServiceIP)
	}
	g.World.Must(apiserver.Admin, noAddresses, "delete", "-f", "-")
	g.reaches(api.ConditionServiceReady, api.ReasonLoadBalancerAssigned, "10.99.0.53")
	g.still(began, api.ConditionReady, api.ReasonFreshRuntimeReady)
}

// metadataOnly changes nothing of the spec.
//
// REQ: LC-15
func (g *gateway) metadataOnly() {
	began := time.Now()
	before := g.things()
	g.must("", "annotate", "tailnetgateway", "GW", "lab.example/note=x")
	g.must("", "label", "tailnetgateway", "GW", "lab.example/team=net")
	u := &unstructured.Unstructured{Object: g.tailnet}
	g.must("", "annotate", "tailnet", u.GetName(), "lab.example/note=x")
	g.await("has seen it", func(s seen) error {
		if s.Labels["lab.example/team"] == "" {
			return errors.New("not yet")
		}
		return nil
	})
	g.woken()
	g.still(began, api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.still(began, api.ConditionInSync, api.ReasonAsRendered)
	if after := g.things(); !maps.Equal(before, after) {
		g.Errorf("before %v\nafter  %v", before, after)
	}
}

// woken wakes the minter, and returns when a pass has ended.
func (g *gateway) woken() {
	g.Helper()
	passes, err := g.passes(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: g.hosts}
	g.must("", "annotate", "configmap", u.GetName(), "--namespace=NS", "--overwrite", fmt.Sprintf("lab.example/wake=%d", time.Now().UnixNano()))
	g.Await("a pass is over", func(ctx context.Context) error {
		now, err := g.passes(ctx)
		if err == nil && now == passes {
			err = errors.New("none is")
		}
		return err
	})
}

// passes is how many passes of gateways the minter has ended.
func (g *gateway) passes(ctx context.Context) (n float64, err error) {
	samples, err := g.minter().Metrics(ctx, g.World)
	for series, value := range samples {
		if strings.HasPrefix(series, `controller_runtime_reconcile_total{controller="tailnetgateway"`) {
			n += value
		}
	}
	return n, err
}

// resumed suspends the gateway and lets it go on, with another minter in between: the
// key is spent, and nothing is made anew.
//
// REQ: LC-14, UP-07, ST-04
func (g *gateway) resumed() {
	pod, before := g.AwaitReady(g.namespace, g.pod()), g.things()
	g.set(true, "suspend")
	s := g.says(api.ConditionReady, api.ReasonSuspended)
	for _, t := range []string{api.ConditionWorkloadCurrent, api.ConditionServiceReady} {
		if s.condition(t).Type != "" {
			g.Errorf("%s, while suspended: %v", t, s)
		}
	}
	g.withdrawn()
	g.minter().Kill(g.World)
	g.minter().Start(g.World)
	g.set(false, "suspend")
	g.reaches(api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.readyGauge(1)
	g.reaches(api.ConditionServiceReady, api.ReasonLoadBalancerAssigned)
	g.untouched(pod)
	if after := g.things(); !maps.Equal(before, after) {
		g.Errorf("before %v\nafter  %v", before, after)
	}
}

// uid is that of the custom resource.
func (g *gateway) uid() string {
	g.Helper()
	return string(g.await("is there", func(seen) error { return nil }).UID)
}

// things are the revisions of all that belongs to the gateway, by kind and name, but
// for the Secret that Tailscale writes to.
func (g *gateway) things() map[string]string {
	g.Helper()
	var list metav1.PartialObjectMetadataList
	text := g.World.Must(apiserver.Admin, "", "get", "--namespace="+g.namespace, "--output=json", "--selector="+api.LabelGatewayUID+"="+g.uid(),
		"statefulsets,services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets,secrets,pods")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		g.Fatal(err)
	}
	all := map[string]string{}
	for _, o := range list.Items {
		if o.Name != api.StateSecretName(g.name) {
			all[o.Kind+"/"+o.Name] = o.ResourceVersion
		}
	}
	return all
}
