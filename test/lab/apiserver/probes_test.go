//go:build lab

package apiserver

import (
	"fmt"
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// overlay is the kustomization of docs/binding.md for other operator namespaces.
func overlay(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/binding.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(page), "```") {
		if text, ok := strings.CutPrefix(block, "yaml\n"); ok && i%2 == 1 && strings.Contains(text, "namespaceSelector") {
			return text
		}
	}
	t.Fatal("docs/binding.md shows no kustomization with a namespaceSelector")
	return ""
}

// prepareProbes makes, while no policy is there yet, a complete gateway and an
// entry for another one.
func (w *world) prepareProbes() {
	w.Helper()
	registry := w.entry("complete")
	w.create(apiserver.Admin, w.render(registry))
	registry["next_gateway_uid"], registry["next_state_uid"], registry["next_phase"] = gatewayUID, stateUID, "open"
	_, err := w.as(apiserver.Admin, "ConfigMap").Create(w.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": api.BindingsName}, "data": values(registry),
	}}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
}

// awaitPolicies waits until each policy answers: the server takes them in one by
// one, some time after they were created.
func (w *world) awaitPolicies() {
	w.Helper()
	dry := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
	patch := func(kind, name, patch string, sub ...string) func() error {
		return func() error {
			_, err := w.patch(apiserver.Person, kind, name, patch, dry, sub...)
			return err
		}
	}
	create := func(kind, name string, meta map[string]any) func() error {
		return func() error {
			meta["name"] = name
			_, err := w.as(apiserver.Person, kind).Create(w.Context(), &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": kind, "metadata": meta,
			}}, metav1.CreateOptions{DryRun: dry.DryRun})
			return err
		}
	}
	for policy, attempt := range map[string]func() error{
		"tsunaro-create":       create("ConfigMap", "x", map[string]any{"labels": map[string]any{api.LabelGateway: w.gateway}}),
		"tsunaro-identity":     patch("Role", w.gateway, fmt.Sprintf(`{"metadata": {"labels": {%q: null}}}`, api.LabelStateUID)),
		"tsunaro-pinned":       patch("Role", w.gateway, `{"rules": []}`),
		"tsunaro-pool-labels":  patch("Service", api.LBServiceName(w.gateway), fmt.Sprintf(`{"metadata": {"annotations": {%q: %q}}}`, api.AnnotationPoolLabelKeys, api.LabelGateway)),
		"tsunaro-engines":      patch("Role", w.gateway, fmt.Sprintf(`{"metadata": {"annotations": {%q: "enabled"}}}`, api.AnnotationFluxForce)),
		"tsunaro-scale":        patch("StatefulSet", w.gateway, `{"spec": {"replicas": 2}}`, "scale"),
		"tsunaro-records":      patch("ConfigMap", api.BindingsName, `{"data": {"x": "y"}}`),
		"tsunaro-record-names": create("Secret", api.AuthSecretName(w.gateway), map[string]any{}),
		"tsunaro-custom-resources": func() error {
			_, err := w.tailnets(w.minter).Create(w.Context(), tailnet("probe"), metav1.CreateOptions{DryRun: dry.DryRun})
			return err
		},
	} {
		eventually(w, policy+" is in force", func() bool {
			err := attempt()
			return err != nil && strings.Contains(err.Error(), "'"+policy+"'")
		})
	}
	zone := func() (*unstructured.Unstructured, error) {
		return w.patch(apiserver.Person, "ConfigMap", api.CoreDNSName(w.gateway), `{"data": {"zone.db": "other"}}`, dry)
	}
	if !w.mutates() {
		eventually(w, "tsunaro-zone is in force", func() bool {
			_, err := zone()
			return err != nil && strings.Contains(err.Error(), "'tsunaro-zone'")
		})
		return
	}
	eventually(w, "tsunaro-keep-live-zone is in force", func() bool {
		o, err := zone()
		if err != nil {
			return false
		}
		data, _, _ := unstructured.NestedString(o.Object, "data", api.DataZone)
		return data != "other"
	})
	next := *w
	next.gateway = "next"
	eventually(w, "tsunaro-bind is in force", func() bool {
		o := next.render(nil).get(w, "ServiceAccount", "next")
		_, err := w.as(apiserver.Person, "ServiceAccount").Create(w.Context(), o, metav1.CreateOptions{DryRun: dry.DryRun})
		return err == nil
	})
}
