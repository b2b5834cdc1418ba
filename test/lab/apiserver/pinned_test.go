//go:build lab

package apiserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

const (
	pinned   = "is pinned, and this update changes "
	changing = "does not change hands"
)

// attempt is an update of one of the nine; refused holds words of the refusal, by
// phase, and is empty where the update passes.
type attempt struct {
	why, kind, name, patch string
	open, complete         string
	subresource            string
}

func attempts(w *world) []attempt {
	gw, lb, dns := w.gateway, api.LBServiceName(w.gateway), api.CoreDNSName(w.gateway)
	container := func(fields string) string {
		return fmt.Sprintf(`[{"op": "replace", "path": "/spec/template/spec/%s}]`, fields)
	}
	return []attempt{
		// What may change.
		{why: "an image", kind: "StatefulSet", name: gw, patch: container(`containers/1/image", "value": "registry.k8s.io/coredns/coredns:v1.14.7"`)},
		{why: "the preflight's image", kind: "StatefulSet", name: gw, patch: container(`initContainers/0/image", "value": "ghcr.io/tailscale/tailscale:v1.102.5"`)},
		{why: "TS_ROUTES", kind: "StatefulSet", name: gw, patch: container(fmt.Sprintf(`containers/0/env/%d/value", "value": "10.99.0.0/24"`, w.envIndex("TS_ROUTES")))},
		{why: "a pool label and its record", kind: "Service", name: lb,
			patch: fmt.Sprintf(`{"metadata": {"labels": {"example.com/pool": null, "example.com/new": "x"}, "annotations": {%q: "example.com/new"}}}`, api.AnnotationPoolLabelKeys)},
		{why: "another label", kind: "Role", name: gw, patch: `{"metadata": {"labels": {"team": "net"}}}`},
		{why: "another annotation", kind: "StatefulSet", name: gw, patch: `{"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "x"}}}`},
		{why: "a finalizer", kind: "Service", name: lb, patch: `{"metadata": {"finalizers": ["service.kubernetes.io/load-balancer-cleanup"]}}`},
		{why: "no finalizer", kind: "Service", name: lb, patch: `{"metadata": {"finalizers": null}}`},
		{why: "status", kind: "Service", name: lb, subresource: "status", patch: `{"status": {"loadBalancer": {"ingress": [{"ip": "10.99.0.53", "ipMode": "VIP"}]}}}`},
		{why: "status", kind: "StatefulSet", name: gw, subresource: "status", patch: `{"status": {"replicas": 1}}`},

		// What is pinned on a complete gateway.
		{why: "resources", kind: "StatefulSet", name: gw, complete: pinned + "spec.template.spec.containers.",
			patch: container(`containers/0/resources", "value": {"limits": {"memory": "1Gi"}}`)},
		{why: "tolerations", kind: "StatefulSet", name: gw, complete: pinned + "spec.template.spec.tolerations.",
			patch: `{"spec": {"template": {"spec": {"tolerations": [{"operator": "Exists"}]}}}}`},
		{why: "another variable", kind: "StatefulSet", name: gw, complete: pinned + "spec.template.spec.containers.",
			patch: container(fmt.Sprintf(`containers/0/env/%d/value", "value": "other"`, w.envIndex("TS_HOSTNAME")))},
		{why: "TS_ROUTES from elsewhere", kind: "StatefulSet", name: gw, complete: pinned + "spec.template.spec.containers.",
			patch: container(fmt.Sprintf(`containers/0/env/%d", "value": {"name": "TS_ROUTES", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}`, w.envIndex("TS_ROUTES")))},
		{why: "a variable more", kind: "StatefulSet", name: gw, complete: pinned + "spec.template.spec.containers.",
			patch: `[{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "X", "value": "y"}}]`},
		{why: "a container more", kind: "StatefulSet", name: gw, complete: pinned + "spec.template.spec.containers.",
			patch: `[{"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "x", "image": "x"}}]`},
		{why: "a restart by annotation", kind: "StatefulSet", name: gw, complete: pinned + "spec.template.metadata.",
			patch: `{"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}}}}}`},
		{why: "replicas", kind: "StatefulSet", name: gw, complete: pinned + "spec.replicas.", patch: `{"spec": {"replicas": 0}}`},
		{why: "the update strategy", kind: "StatefulSet", name: gw, complete: pinned + "spec.updateStrategy.",
			patch: `{"spec": {"updateStrategy": {"type": "RollingUpdate"}}}`},
		{why: "rules", kind: "Role", name: gw, complete: pinned + "rules.", patch: `{"rules": []}`},
		{why: "subjects", kind: "RoleBinding", name: gw, complete: pinned + "subjects.", patch: `{"subjects": null}`},
		{why: "the token mount", kind: "ServiceAccount", name: gw, complete: pinned + "automountServiceAccountToken.", patch: `{"automountServiceAccountToken": true}`},
		{why: "pull secrets", kind: "ServiceAccount", name: gw, complete: pinned + "imagePullSecrets.", patch: `{"imagePullSecrets": [{"name": "x"}]}`},
		{why: "the budget", kind: "PodDisruptionBudget", name: gw, complete: pinned + "spec.minAvailable.", patch: `{"spec": {"minAvailable": 0}}`},
		{why: "the requested address", kind: "Service", name: lb, complete: pinned + "spec.loadBalancerIP.", patch: `{"spec": {"loadBalancerIP": "10.99.0.54"}}`},
		{why: "ports", kind: "Service", name: gw, complete: pinned + "spec.ports.", patch: `{"spec": {"ports": [{"name": "x", "port": 54, "protocol": "UDP"}]}}`},
		{why: "another key beside the zone", kind: "ConfigMap", name: dns, complete: pinned + "data.other.", patch: `{"data": {"other": "x"}}`},
		{why: "binary data", kind: "ConfigMap", name: dns, complete: pinned + "binaryData.", patch: `{"binaryData": {"other": "eA=="}}`},
		{why: "immutability", kind: "ConfigMap", name: dns, complete: pinned + "immutable.", patch: `{"immutable": true}`},
		{why: "the render format", kind: "Role", name: gw, complete: pinned + "annotation tsunaro.io/render-format.",
			patch: fmt.Sprintf(`{"metadata": {"annotations": {%q: "2"}}}`, api.AnnotationRenderFormat)},
		{why: "a key of ours that we do not know", kind: "Role", name: gw, complete: pinned + "label tsunaro.io/x.",
			patch: `{"metadata": {"labels": {"tsunaro.io/x": "y"}}}`},

		// What never changes.
		{why: "the gateway's UID", kind: "ServiceAccount", name: gw, open: changing, complete: changing,
			patch: fmt.Sprintf(`{"metadata": {"labels": {%q: %q}}}`, api.LabelGatewayUID, earlierUID)},
		{why: "no state UID", kind: "RoleBinding", name: gw, open: changing, complete: changing,
			patch: fmt.Sprintf(`{"metadata": {"labels": {%q: null}}}`, api.LabelStateUID)},
		{why: "no labels at all", kind: "ConfigMap", name: dns, open: changing, complete: changing, patch: `{"metadata": {"labels": null}}`},
		{why: "another gateway", kind: "Service", name: gw, open: changing, complete: changing,
			patch: fmt.Sprintf(`{"metadata": {"labels": {%q: "other"}}}`, api.LabelGateway)},
		{why: "a Service's selector", kind: "Service", name: lb, open: "The selector of Service lab-gw-lb", complete: "The selector of Service lab-gw-lb",
			patch: `{"spec": {"selector": {"app": "other"}}}`},
		{why: "the budget's selector", kind: "PodDisruptionBudget", name: gw, open: "The selector of PodDisruptionBudget lab-gw", complete: "The selector of PodDisruptionBudget lab-gw",
			patch: `{"spec": {"selector": {"matchLabels": {"app": "other"}}}}`},
		{why: "replicas by scaling", kind: "StatefulSet", name: gw, subresource: "scale", open: "A gateway is one Pod", complete: "A gateway is one Pod",
			patch: `{"spec": {"replicas": 0}}`},
		{why: "the same number by scaling", kind: "StatefulSet", name: gw, subresource: "scale", patch: `{"spec": {"replicas": 1}}`},
		{why: "Flux's force", kind: "Role", name: gw, open: "force on an object of a gateway must be", complete: "force on an object of a gateway must be",
			patch: fmt.Sprintf(`{"metadata": {"annotations": {%q: "enabled"}}}`, api.AnnotationFluxForce)},
		{why: "Flux's force as a label", kind: "Role", name: gw, open: "force on an object of a gateway must be", complete: "force on an object of a gateway must be",
			patch: fmt.Sprintf(`{"metadata": {"labels": {%q: "Enabled"}}}`, api.AnnotationFluxForce)},
		{why: "Argo CD's replace", kind: "Service", name: gw, open: "may hold neither Replace=true nor Force=true", complete: "may hold neither Replace=true nor Force=true",
			patch: fmt.Sprintf(`{"metadata": {"annotations": {%q: "Prune=false, Replace=true"}}}`, api.AnnotationArgoSync)},
		{why: "Argo CD's force", kind: "StatefulSet", name: gw, open: "may hold neither Replace=true nor Force=true", complete: "may hold neither Replace=true nor Force=true",
			patch: fmt.Sprintf(`{"metadata": {"annotations": {%q: "Force=true"}}}`, api.AnnotationArgoSync)},
	}
}

// envIndex is the place of a variable of the Tailscale container.
func (w *world) envIndex(name string) int {
	w.Helper()
	s := w.render(nil).get(w, "StatefulSet", w.gateway)
	containers, _, _ := unstructured.NestedSlice(s.Object, "spec", "template", "spec", "containers")
	i := slices.IndexFunc(containers[0].(map[string]any)["env"].([]any), func(e any) bool { return e.(map[string]any)["name"] == name })
	if i < 0 {
		w.Fatalf("no variable %s", name)
	}
	return i
}

// Each row by an engine and by a person. Before minting the engine may still
// correct the set; afterwards only what is mutable goes through.
//
// REQ: UP-11, RN-09
func TestPinnedFields(t *testing.T) {
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		w := l.world(t)
		w.setUp("open")
		for _, phase := range []string{"open", "minting", "complete"} {
			w.register(w.entry(phase))
			w.awaitPinned(phase != "open")
			for _, a := range attempts(w) {
				want := a.complete
				if phase == "open" {
					want = a.open
				}
				for _, id := range actors {
					w.attempt(t, phase, id, a, want)
				}
			}
		}
		registry := w.entry("complete") // an entry of another UID counts for nothing
		registry[api.BindingKey(w.gateway, "phase")] = "open"
		registry[api.BindingKey(w.gateway, api.BindingGatewayUID)] = earlierUID
		w.register(registry)
		w.awaitPinned(true)
		w.attempt(t, "open for another UID", apiserver.Person, attempt{why: "rules", kind: "Role", name: w.gateway, patch: `{"rules": []}`}, pinned)
	})
}

// awaitPinned waits until the policy goes by the phase.
func (w *world) awaitPinned(want bool) {
	w.Helper()
	eventually(w, "the phase is in force", func() bool {
		_, err := w.patch(apiserver.Person, "Role", w.gateway, `{"rules": []}`, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return (err != nil) == want
	})
}

// attempt sends an update for good where it should be refused, and as a dry run
// where it passes.
func (w *world) attempt(t *testing.T, phase string, id apiserver.Identity, a attempt, want string) {
	t.Helper()
	how, options := types.MergePatchType, metav1.PatchOptions{}
	if strings.HasPrefix(a.patch, "[") {
		how = types.JSONPatchType
	}
	if want == "" {
		options.DryRun = []string{metav1.DryRunAll}
	}
	var sub []string
	if a.subresource != "" {
		sub = []string{a.subresource}
	}
	_, err := w.as(id, a.kind).Patch(t.Context(), a.name, how, []byte(a.patch), options, sub...)
	switch {
	case want == "" && err != nil:
		t.Errorf("%s, %s of %s %s by %s: %v", phase, a.why, a.kind, a.name, id.User, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s, %s of %s %s by %s: want a refusal that says %q, got %v", phase, a.why, a.kind, a.name, id.User, want, err)
	}
}

// Every single field of the nine that the table of mutable ones does not hold is
// pinned: each is changed in turn.
//
// REQ: UP-11
func TestEveryOtherFieldIsPinned(t *testing.T) {
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		w := l.world(t)
		nine := w.setUp("complete")
		w.awaitPinned(true)
		ours, all := 0, 0
		for _, o := range w.live(nine) {
			free := o.DeepCopy()
			digest.Blank(free.Object, digest.Mutable, digest.Live)
			delete(free.Object, "metadata")
			delete(free.Object, "status")
			for _, path := range leaves("", free.Object) {
				if path == "/apiVersion" || path == "/kind" {
					continue
				}
				all++
				patch := fmt.Sprintf(`[{"op": "replace", "path": %q, "value": %s}]`, path, changed(t, o.Object, path))
				after, err := w.as(apiserver.FluxEngine, o.GetKind()).Patch(t.Context(), o.GetName(), types.JSONPatchType, []byte(patch), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
				if err == nil && after.GetGeneration() == o.GetGeneration() && o.GetGeneration() > 0 {
					continue // an alias that the server derives: nothing changed
				}
				if err == nil {
					t.Errorf("%s %s %s can be changed", o.GetKind(), o.GetName(), path)
				} else if strings.Contains(err.Error(), pinned) {
					ours++
				}
			}
		}
		// The rest the server itself refuses: immutable or no longer valid.
		if all < 200 || ours < all/3 {
			t.Errorf("%d fields, of them %d refused by the policy: the walk misses something", all, ours)
		}
		t.Logf("%d objects, %d fields, of them %d refused by the policy", objects.Count, all, ours)
	})
}

// leaves lists the JSON pointers of all values that hold no others.
func leaves(path string, value any) []string {
	var out []string
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			out = append(out, leaves(path+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(k), inner)...)
		}
	case []any:
		for i, inner := range v {
			out = append(out, leaves(fmt.Sprintf("%s/%d", path, i), inner)...)
		}
	default:
		return []string{path}
	}
	slices.Sort(out)
	return out
}

// changed is another value of the same type for the field at a JSON pointer.
func changed(t *testing.T, object any, pointer string) string {
	t.Helper()
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := object.(type) {
		case map[string]any:
			object = v[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil {
				t.Fatal(err)
			}
			object = v[i]
		}
	}
	switch v := object.(type) {
	case string:
		return mustJSON(t, v+"x")
	case bool:
		return mustJSON(t, !v)
	case int64:
		return mustJSON(t, v+1)
	}
	t.Fatalf("%s is a %T", pointer, object)
	return ""
}
