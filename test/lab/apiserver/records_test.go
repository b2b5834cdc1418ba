//go:build lab

package apiserver

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// records are the objects that only the minter writes, as it writes them.
func (w *world) records() set {
	labels := map[string]any{api.LabelGatewayUID: gatewayUID, api.LabelStateUID: stateUID}
	record := func(kind, name, data string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": kind, "immutable": true, data: map[string]any{"x": "eA=="},
			"metadata": map[string]any{"name": name, "labels": labels},
		}}
	}
	return set{
		record("Secret", api.AuthSecretName(w.gateway), "data"),
		record("ConfigMap", w.gateway+"-auth-receipt", "data"),
		record("ConfigMap", w.gateway+"-fresh", "data"),
		record("ConfigMap", w.gateway+"-fresh-next", "data"),
	}
}

// Only the minter creates and edits records and registry; everybody may delete
// them whose RBAC says so, and take a finalizer away.
//
// REQ: LC-18
func TestRecordsAreTheMinters(t *testing.T) {
	const (
		evidence = "is evidence that only the minter writes"
		named    = "Only the minter creates"
	)
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		w := l.world(t)
		refused := func(what string, err error, want string) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: want a refusal that says %q, got %v", what, want, err)
			}
		}
		passes := func(what string, err error) {
			t.Helper()
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		registry := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": api.BindingsName},
		}}
		others := append(actors, apiserver.ServiceAccount("elsewhere", api.MinterName))
		for _, id := range others {
			_, err := w.as(id, "ConfigMap").Create(t.Context(), registry, metav1.CreateOptions{})
			refused("the registry by "+id.User, err, evidence)
			for _, r := range w.records() {
				_, err := w.as(id, r.GetKind()).Create(t.Context(), r, metav1.CreateOptions{})
				refused(r.GetName()+" by "+id.User, err, evidence)
			}
		}
		w.register(w.entry("minting"))
		awaitNames(w)
		for _, id := range others {
			for _, r := range w.records() { // without a label, by name alone
				r.SetLabels(nil)
				_, err := w.as(id, r.GetKind()).Create(t.Context(), r, metav1.CreateOptions{})
				refused(r.GetName()+" without labels by "+id.User, err, named)
			}
		}
		w.create(w.minter, w.records())
		for _, id := range others {
			for _, r := range append(w.records(), registry) {
				for _, patch := range []string{
					`{"metadata": {"labels": {"kustomize.toolkit.fluxcd.io/name": "x"}}}`, // B15: no engine makes it its own
					`{"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "x"}}}`,
					`{"metadata": {"labels": null, "annotations": {"x": "y"}}}`,
					`{"metadata": {"finalizers": ["x.example/y"]}}`, `{"data": {"x": "eQ=="}}`,
					`{"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "y"}]}}`,
				} {
					_, err := w.patch(id, r.GetKind(), r.GetName(), patch, metav1.PatchOptions{})
					if strings.Contains(patch, `"data"`) && r.GetName() != api.BindingsName {
						refused(r.GetName()+" "+patch+" by "+id.User, err, "immutable") // by the server itself
						continue
					}
					refused(r.GetName()+" "+patch+" by "+id.User, err, evidence)
				}
				// A write that changes nothing, as a storage migration makes it.
				current, err := w.as(id, r.GetKind()).Get(t.Context(), r.GetName(), metav1.GetOptions{})
				passes("reading "+r.GetName(), err)
				_, err = w.as(id, r.GetKind()).Update(t.Context(), current, metav1.UpdateOptions{})
				passes("the same "+r.GetName(), err)
			}
		}
		for _, r := range append(w.records(), registry) {
			_, err := w.patch(w.minter, r.GetKind(), r.GetName(), `{"metadata": {"finalizers": ["x.example/y"]}}`, metav1.PatchOptions{})
			passes("a finalizer by the minter", err)
			passes("deleting "+r.GetName(), w.as(apiserver.Person, r.GetKind()).Delete(t.Context(), r.GetName(), metav1.DeleteOptions{}))
			_, err = w.patch(apiserver.Person, r.GetKind(), r.GetName(), `{"metadata": {"finalizers": null}}`, metav1.PatchOptions{})
			passes("taking the finalizer of "+r.GetName(), err)
			_, err = w.as(apiserver.Admin, r.GetKind()).Get(t.Context(), r.GetName(), metav1.GetOptions{})
			refused(r.GetName()+" after its deletion", err, "not found")
		}
	})
}

// awaitNames waits until the policy about names knows the registry.
func awaitNames(w *world) {
	w.Helper()
	eventually(w, "the names are guarded", func() bool {
		_, err := w.as(apiserver.Person, "Secret").Create(w.Context(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": api.AuthSecretName(w.gateway)},
		}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil
	})
}

// REQ: UP-10
func TestPoolLabels(t *testing.T) {
	const key = api.AnnotationPoolLabelKeys
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		w := l.world(t)
		w.register(w.entry("open"))
		nine := w.render(w.entry("open"))
		w.must(apiserver.FluxEngine, nine.manifest(t), serverSide.args...)
		w.register(w.entry("complete"))
		name := api.LBServiceName(w.gateway)
		if _, err := w.patch(apiserver.Person, "Service", name, `{"metadata": {"labels": {"cilium.example/zone": "a"}}}`, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		git := nine.get(t, "Service", name)
		labelled := func(labels map[string]any, keys string) string {
			o := git.DeepCopy()
			merged := map[string]string{}
			for k, v := range git.GetLabels() {
				if k != "example.com/pool" {
					merged[k] = v
				}
			}
			for k, v := range labels {
				merged[k] = fmt.Sprint(v)
			}
			o.SetLabels(merged)
			notes := o.GetAnnotations()
			notes[key] = keys
			if keys == "" {
				delete(notes, key)
			}
			o.SetAnnotations(notes)
			return set{o}.manifest(t)
		}
		for _, how := range []write{clientSide, serverSide, replace} {
			for _, value := range []string{"a", "b"} {
				r := w.kubectl(apiserver.FluxEngine, labelled(map[string]any{"cilium.example/zone": value}, "cilium.example/zone"), how.args...)
				if r.Code == 0 || !strings.Contains(r.Stderr, "Label cilium.example/zone of Service "+name+" was put there by somebody else") {
					t.Errorf("%s of a foreign label: exit code %d\n%s", how.name, r.Code, r.Stderr)
				}
			}
		}
		r := w.kubectl(apiserver.FluxEngine, labelled(map[string]any{"example.com/new": "x"}, "example.com/new"), replace.args...)
		if r.Code == 0 || !strings.Contains(r.Stderr, "cilium.example/zone of Service "+name+" is not recorded") {
			t.Errorf("replace that drops a foreign label: exit code %d\n%s", r.Code, r.Stderr)
		}
		if got := liveLabel(w, "Service", name, "cilium.example/zone"); got != "a" {
			t.Errorf("the foreign label is %q", got)
		}
		for _, wanted := range []string{"example.com/new", "example.com/newer", ""} { // ours come and go
			labels := map[string]any{}
			if wanted != "" {
				labels[wanted] = "x"
			}
			w.must(apiserver.FluxEngine, labelled(labels, wanted), serverSide.args...)
			for _, pool := range []string{"example.com/pool", "example.com/new", "example.com/newer"} {
				if got := liveLabel(w, "Service", name, pool); (got != "") != (pool == wanted) {
					t.Errorf("with %q wanted, label %s is %q", wanted, pool, got)
				}
			}
		}
		if got := liveLabel(w, "Service", name, "cilium.example/zone"); got != "a" {
			t.Errorf("the foreign label is %q", got)
		}
	})
}
