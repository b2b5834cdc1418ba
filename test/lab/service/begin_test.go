//go:build lab && linux

package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// begin takes the gateway from a suspended commit to Ready. Of routes nothing is said
// before, and of Service and template nothing before completion.
//
// REQ: UP-06, UP-07, DL-09, ST-04
func (g *gateway) begin() {
	if err := g.Put(g.Context(), apiserver.FluxEngine, g.tailnet, g.hosts); err != nil {
		g.Fatal(err)
	}
	g.set(true, "suspend")
	g.says(api.ConditionReady, api.ReasonSuspended)
	g.withdrawn()
	began := time.Now()
	g.set(false, "suspend")
	g.says(api.ConditionBound, api.ReasonBindingOpen)
	g.reaches(api.ConditionDNSReady, api.ReasonDNSUpdateBlocked, "ConfigMap/NS/GW-coredns is left alone: the gateway is not complete yet")
	g.engine()
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
	for _, s := range shared.view.since(g.name, began) {
		g.checkEarly(s)
	}
}

// checkEarly checks what is not said too early.
func (g *gateway) checkEarly(s seen) {
	g.Helper()
	if !s.current() {
		return
	}
	suspended := s.condition(api.ConditionReady).Reason == api.ReasonSuspended
	ready := s.condition(api.ConditionReady).Status == metav1.ConditionTrue
	if c := s.condition(api.ConditionRoutesInSync); !ready && !suspended && (c.Status != metav1.ConditionUnknown || c.Reason != api.ReasonNotReady) {
		g.Errorf("routes, before Ready: %v", s)
	}
	if s.condition(api.ConditionBound).Reason == api.ReasonBindingComplete {
		return
	}
	for _, t := range []string{api.ConditionWorkloadCurrent, api.ConditionServiceReady} {
		if s.condition(t).Type != "" {
			g.Errorf("%s, before completion: %v", t, s)
		}
	}
}

// beginTracked does the same with what an engine has put its keys on. Nothing that
// the minter makes has any of them: an engine that prunes by them finds the sources
// only.
//
// REQ: RN-09 (B15)
func (g *gateway) beginTracked() {
	g.begin()
	all := g.Client(apiserver.Admin).CoreV1()
	secrets, err := all.Secrets(g.namespace).List(g.Context(), metav1.ListOptions{})
	if err != nil {
		g.Fatal(err)
	}
	configMaps, err := all.ConfigMaps(g.namespace).List(g.Context(), metav1.ListOptions{})
	if err != nil {
		g.Fatal(err)
	}
	made := map[string]*metav1.ObjectMeta{}
	for i := range secrets.Items {
		made[secrets.Items[i].Name] = &secrets.Items[i].ObjectMeta
	}
	for i := range configMaps.Items {
		made[configMaps.Items[i].Name] = &configMaps.Items[i].ObjectMeta
	}
	for _, name := range []string{
		api.StateSecretName(g.name), api.AuthSecretName(g.name), api.AuthReceiptName(g.name), api.FreshName(g.name),
		api.BindingsName, api.WorkingKeySecretName("free"),
	} {
		o, ok := made[name]
		if !ok {
			g.Errorf("%s is not there", name)
			continue
		}
		for _, key := range append(keys(o.Labels), keys(o.Annotations)...) {
			if !strings.HasPrefix(key, api.KeyPrefix) {
				g.Errorf("%s carries %s", name, key)
			}
		}
	}
}

func keys(m map[string]string) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// reaches waits until a condition has a reason, and until the minter's gauges tell
// the same.
//
// REQ: ST-04
func (g *gateway) reaches(conditionType, reason string, texts ...string) seen {
	g.Helper()
	s := g.says(conditionType, reason, texts...)
	c := s.condition(conditionType)
	g.Logf("%s %s/%s: %s", c.Type, c.Status, c.Reason, c.Message)
	series := fmt.Sprintf(`tailnet_resource_condition{kind=%q,name=%q,reason=%q,status=%q,type=%q}`,
		api.KindTailnetGateway, g.name, c.Reason, c.Status, c.Type)
	g.Await("the gauge of it is set", func(ctx context.Context) error {
		samples, err := g.minter().Metrics(ctx, g.World)
		if err == nil && samples[series] != 1 {
			err = fmt.Errorf("%s is %v", series, samples[series])
		}
		return err
	})
	return s
}

// readyGauge waits until the gauge of Ready has a value.
func (g *gateway) readyGauge(want float64) {
	g.Helper()
	series := fmt.Sprintf(`tailnet_resource_ready{kind=%q,name=%q}`, api.KindTailnetGateway, g.name)
	g.Await("the gauge of Ready tells", func(ctx context.Context) error {
		samples, err := g.minter().Metrics(ctx, g.World)
		if is, there := samples[series]; err == nil && (!there || is != want) {
			err = fmt.Errorf("%s is %v, there %t", series, is, there)
		}
		return err
	})
}

// withdrawn waits until no gauge is about the gateway.
//
// REQ: ST-04
func (g *gateway) withdrawn() {
	g.Helper()
	g.Await("the gauges are withdrawn", func(ctx context.Context) error {
		samples, err := g.minter().Metrics(ctx, g.World)
		if err != nil {
			return err
		}
		if len(samples) == 0 {
			return errors.New("there are no metrics at all")
		}
		for series := range samples {
			if strings.HasPrefix(series, "tailnet_resource_") && !strings.HasPrefix(series, "tailnet_resource_steps_total") &&
				strings.Contains(series, fmt.Sprintf("name=%q", g.name)) {
				return fmt.Errorf("%s is there", series)
			}
		}
		return nil
	})
}
