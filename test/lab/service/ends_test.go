//go:build lab && linux

package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// consent lets a deletion take everything along.
func (g *gateway) consent() {
	g.Helper()
	g.set("Delete", "deletionPolicy")
	g.await("has its finalizer", func(s seen) error {
		if !slices.Contains(s.Finalizers, api.FinalizerTeardown) {
			return fmt.Errorf("finalizers %v", s.Finalizers)
		}
		return nil
	})
}

// going deletes the custom resource, and does not wait.
func (g *gateway) going() { g.Helper(); g.must("", "delete", "tailnetgateway", "GW", "--wait=false") }

// gone waits until the custom resource is.
func (g *gateway) gone() {
	g.Helper()
	shared.view.await(g, g.name, "is gone", func(s seen) error {
		if !s.gone {
			return errors.New("it is there")
		}
		return nil
	})
}

// left are kinds and names of what is labelled with a gateway's UID.
func (g *gateway) left(uid string) []string {
	g.Helper()
	return strings.Fields(g.World.Must(apiserver.Admin, "", "get", "--namespace="+g.namespace, "--output=name", "--selector="+api.LabelGatewayUID+"="+uid,
		"statefulsets,services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets,secrets,pods"))
}

// ends takes the gateway out of service while an engine applies the nine all the time.
// StatefulSet and node are gone already, which is fine; a Headscale that cannot be
// asked is not, and nothing that comes later is deleted before. Nothing comes back
// without a new gateway, and that one has a key of its own.
//
// REQ: TD-02, TD-03, UP-07, LC-21 (B15, B42, B46)
func (g *gateway) ends() {
	g.consent()
	uid, nine := g.uid(), g.nine()
	node, err := shared.headscale.Node(g.Context(), g.name)
	if err != nil {
		g.Fatal(err)
	}
	g.must("", "delete", "statefulset", "GW", "--namespace=NS")
	g.says(api.ConditionReady, api.ReasonFreshBlocked, "StatefulSet/NS/GW is missing")
	g.Await("no Pod is left", func(context.Context) error {
		if left := g.left(uid); slices.Contains(left, "pod/"+g.pod()) {
			return errors.New("it is")
		}
		return nil
	})
	if err := shared.headscale.Call(g.Context(), http.MethodDelete, "/api/v1/node/"+node.ID, nil, nil); err != nil {
		g.Fatal(err)
	}
	if err := g.Lab.StopComponent(g.Context(), "headscale"); err != nil {
		g.Fatal(err)
	}
	stopped := g.keepsApplying(nine)
	before := g.left(uid)
	g.going()
	s := g.reaches(api.ConditionReady, api.ReasonTeardownBlocked, "at the step DeleteNode", "Headscale/home")
	for _, t := range []string{api.ConditionWorkloadCurrent, api.ConditionServiceReady} {
		if s.condition(t).Type != "" {
			g.Errorf("%s, on its way out: %v", t, s)
		}
	}
	if after := g.left(uid); !slices.Equal(before, after) || len(s.Finalizers) == 0 {
		g.Errorf("blocked with the finalizers %v; before %v, after %v", s.Finalizers, before, after)
	}
	if err := g.Lab.StartComponent(g.Context(), "headscale"); err != nil {
		g.Fatal(err)
	}
	began := time.Now()
	g.gone()
	g.Logf("gone %s after Headscale was started", ms(time.Since(began)))
	if left := g.left(uid); len(left) > 0 {
		g.Errorf("left: %v", left)
	}
	stopped()
	g.mayNotReturn(nine)
	g.again(uid)
}

// keepsApplying applies the nine over and over, as an engine does that has not heard
// of the deletion. What is there it may update.
func (g *gateway) keepsApplying(nine []object) (stopped func()) {
	ctx, cancel := context.WithCancel(g.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = poll(ctx, func() error { // until it is stopped
			for _, o := range nine {
				_ = g.Put(ctx, apiserver.FluxEngine, o) // some are refused
			}
			return errors.New("again")
		})
	}()
	return func() { cancel(); <-done }
}

// mayNotReturn tries to create each of the nine.
func (g *gateway) mayNotReturn(nine []object) {
	g.Helper()
	for _, o := range nine {
		if err := g.Put(g.Context(), apiserver.FluxEngine, o); err == nil {
			g.Errorf("%s %v was created without a gateway", o["kind"], o["metadata"])
		}
	}
}

// again commits the gateway anew: another one, with another node.
func (g *gateway) again(was string) {
	g.Helper()
	g.commit()
	s := g.says(api.ConditionBound, api.ReasonBindingOpen)
	if string(s.UID) == was {
		g.Error("it is the same gateway")
	}
	g.engine()
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
}

// blockedEnd takes a gateway out of service of which every one of the nine has been
// replaced, and whose auth receipt has lost its label. Each is named in its turn, and
// what comes later stays; the way out is Retain.
//
// REQ: TD-01, TD-02, TD-03 (B42)
func (g *gateway) blockedEnd() {
	g.consent()
	uid := g.uid()
	node, err := shared.headscale.Node(g.Context(), g.name)
	if err != nil {
		g.Fatal(err)
	}
	g.must("", "label", "configmap", "GW-auth-receipt", "--namespace=NS", api.LabelGatewayUID+"-")
	before := g.left(uid)
	g.going()
	g.reaches(api.ConditionReady, api.ReasonTeardownBlocked, "at the step DeleteWorkload: StatefulSet/NS/GW ")
	if after := g.left(uid); !slices.Equal(before, after) {
		g.Errorf("before %v, after %v", before, after)
	}
	g.must("", "delete", "statefulset", "GW", "--namespace=NS")
	g.reaches(api.ConditionReady, api.ReasonTeardownBlocked, "at the step DeleteChild: ")
	if nodes, err := shared.headscale.Nodes(g.Context()); err != nil || slices.ContainsFunc(nodes, func(n labtest.Node) bool { return n.ID == node.ID }) {
		g.Errorf("the node is left: %v", err)
	}
	g.must("", "delete", "services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets", "--namespace=NS", "--selector="+api.LabelGateway+"=GW")
	s := g.reaches(api.ConditionReady, api.ReasonTeardownBlocked, "at the step DeleteAuthReceipt: ConfigMap/NS/GW-auth-receipt ")
	if len(s.Finalizers) == 0 {
		g.Error("the finalizer is gone")
	}
	if left := g.left(uid); !slices.Equal(left, []string{"configmap/" + api.FreshName(g.name)}) {
		g.Errorf("left: %v", left)
	}
	g.set("Retain", "deletionPolicy")
	g.gone()
	g.withdrawn()
	for _, name := range []string{api.FreshName(g.name), api.AuthReceiptName(g.name)} {
		if _, err := g.Client(apiserver.Admin).CoreV1().ConfigMaps(g.namespace).Get(g.Context(), name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
			g.Errorf("%s is not retained", name)
		}
	}
}
