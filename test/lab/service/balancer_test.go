//go:build lab && linux

package service

import (
	"maps"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// noAddress lets the load balancer take the gateway's address back, and give it again.
//
// REQ: UP-04, ST-08
func (g *gateway) noAddress() {
	began := time.Now()
	g.TakeAddress(g.namespace, api.LBServiceName(g.name))
	s := g.reaches(api.ConditionServiceReady, api.ReasonLBPending, "Service/NS/GW-lb has no address yet: check the load balancer and its pool.")
	if s.Status.ServiceIP != "" {
		g.Errorf("status.serviceIP is %q", s.Status.ServiceIP)
	}
	g.GiveAddresses()
	g.reaches(api.ConditionServiceReady, api.ReasonLoadBalancerAssigned, "10.99.0.53")
	g.still(began, api.ConditionReady, api.ReasonFreshRuntimeReady)
}

// poolLabel asks for a pool label whose key somebody else has put on the Service. It
// is not taken over: the engine's write is refused, and the condition says why. Once it
// is gone the label is the gateway's, and what else is on the Service stays.
//
// REQ: UP-04, UP-10
func (g *gateway) poolLabel() {
	g.must("", "label", "service", "GW-lb", "--namespace=NS", "lab.example/rack=3", "lab.example/owner=jane")
	g.set(object{"lab.example/rack": "1"}, "poolLabels")
	const remove = "kubectl label service GW-lb lab.example/rack- --namespace NS"
	g.reaches(api.ConditionServiceReady, api.ReasonServiceUpdateBlocked, "Service/NS/GW-lb already has a label lab.example/rack that somebody else put there.", "`"+remove+"`")
	if err := g.Put(g.Context(), apiserver.FluxEngine, g.nine()...); err == nil || !strings.Contains(err.Error(), "'tsunaro-pool-labels'") {
		g.Errorf("the engine takes the label over: %v", err)
	}
	g.must("", strings.Fields(remove)[1:]...)
	g.reaches(api.ConditionServiceReady, api.ReasonLoadBalancerAssigned)
	g.reaches(api.ConditionInSync, api.ReasonEngineBehind, "Service/NS/GW-lb is not yet as rendered at metadata.")
	g.wantPoolLabels(map[string]string{"lab.example/rack": "1", "lab.example/owner": "jane"})
	unstructured.RemoveNestedField(g.cr, "spec", "poolLabels")
	g.commit()
	g.wantPoolLabels(map[string]string{"lab.example/owner": "jane"})
}

// wantPoolLabels lets the engine apply the nine, and checks the Service's labels that
// are not the product's.
func (g *gateway) wantPoolLabels(want map[string]string) {
	g.Helper()
	g.engine()
	g.says(api.ConditionInSync, api.ReasonAsRendered)
	g.says(api.ConditionServiceReady, api.ReasonLoadBalancerAssigned)
	s, err := g.Client(apiserver.Admin).CoreV1().Services(g.namespace).Get(g.Context(), api.LBServiceName(g.name), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	maps.DeleteFunc(s.Labels, func(key, _ string) bool { return api.OwnedKey(key) })
	if !maps.Equal(s.Labels, want) {
		g.Errorf("the Service's labels are %v, want %v", s.Labels, want)
	}
}
