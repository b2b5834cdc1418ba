//go:build lab && linux

package service

import (
	"fmt"
	"slices"
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
	g.approve(balancerRoute, strangeRoute)
	g.reaches(api.ConditionRoutesInSync, api.ReasonNotApproved, "has not approved "+lanRoute+".", "Approved but no longer wanted: "+strangeRoute+".")
	g.approve(balancerRoute, lanRoute, strangeRoute)
	s := g.reaches(api.ConditionRoutesInSync, api.ReasonApproved, "Approved but no longer wanted: "+strangeRoute+".")
	if got := fmt.Sprint(s.Status.ApprovedRoutes, s.Status.StaleRoutes); got != fmt.Sprintf("[%s %s] [%s]", balancerRoute, lanRoute, strangeRoute) {
		g.Errorf("status: approved and stale routes are %s", got)
	}
	g.approve(balancerRoute, lanRoute)
}

// routesChange changes the routes in Git, and after that in the cluster. The Pod runs
// on: Ready is about its own routes.
//
// REQ: UP-02, UP-03, UP-05, UP-06
func (g *gateway) routesChange() {
	began, pod, before := time.Now(), g.AwaitReady(g.namespace, g.pod()), g.statefulSet()
	g.set([]any{lanRoute, moreRoute}, "routes", "lan")
	g.reaches(api.ConditionWorkloadCurrent, api.ReasonTemplateOutOfSync, "The template of StatefulSet/NS/GW is not the render of the current spec.",
		"The first difference is at spec.template.spec.containers[tailscale].env[TS_ROUTES].value.", "It lacks the routes "+moreRoute+".")
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
