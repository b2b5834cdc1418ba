//go:build lab && linux

package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
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
		{"a pool label", (*gateway).poolLabel},
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

// wake lets the minter look at the gateway, as any change about it does.
func (g *gateway) wake() {
	g.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"lab.example/wake":"%d"}}}`, time.Now().UnixNano())
	in := g.Resource(apiserver.Person, api.KindTailnetGateway, "")
	if _, err := in.Patch(g.Context(), g.name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		g.Fatal(err)
	}
}

// woken wakes the minter, and returns when a pass has ended.
func (g *gateway) woken() {
	g.Helper()
	var passes float64
	g.Await("the minter is there", func(ctx context.Context) (err error) {
		passes, err = g.passes(ctx)
		return err
	})
	g.wake()
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

// things are who wrote what of all that belongs to the gateway, by kind and name, but
// for the Secret that Tailscale writes to.
func (g *gateway) things() map[string]string {
	g.Helper()
	var list metav1.PartialObjectMetadataList
	text := g.World.Must(apiserver.Admin, "", "get", "--namespace="+g.namespace, "--output=json", "--show-managed-fields", "--selector="+api.LabelGatewayUID+"="+g.uid(),
		"statefulsets,services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets,secrets,pods")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		g.Fatal(err)
	}
	all := map[string]string{}
	for _, o := range list.Items {
		if o.Name != api.StateSecretName(g.name) {
			all[o.Kind+"/"+o.Name] = labtest.Written(g.name, o.Kind, &o)
		}
	}
	return all
}
