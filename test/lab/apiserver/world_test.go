//go:build lab

package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// world is an operator namespace with a gateway of its own.
type world struct {
	testing.TB
	*lab
	namespace, gateway, clusterIP string
	minter                        apiserver.Identity
}

func (l *lab) world(t testing.TB) *world {
	t.Helper()
	n := int(l.worlds.Add(1)) - 1
	if n >= maxWorlds {
		t.Fatalf("more than %d namespaces", maxWorlds)
	}
	return l.worldIn(t, namespaceName(n), n)
}

// worldIn makes the n-th world in a namespace.
func (l *lab) worldIn(t testing.TB, namespace string, n int) *world {
	t.Helper()
	w := &world{t, l, namespace, "lab-gw", fmt.Sprintf("10.96.53.%d", n+1), apiserver.Minter(namespace)}
	w.must(apiserver.Admin, "", "create", "namespace", namespace)
	return w
}

// in is the same world for a subtest.
func (w *world) in(t testing.TB) *world {
	inner := *w
	inner.TB = t
	return &inner
}

// uids of a world's gateway and state Secret, and those of an earlier gateway of
// the same name.
const (
	gatewayUID = "0f6bb1b4-8a1c-4a5c-9d3e-1c1f0c1a2b3c"
	stateUID   = "7a0d9a2e-1b2c-4d3e-8f90-112233445566"
	earlierUID = "11111111-2222-4333-8444-555555555555"

	earlierStateUID = "11111111-2222-4333-8444-666666666666"
)

// entry is the gateway's entry in the registry.
func (w *world) entry(phase string) map[string]string {
	return map[string]string{
		api.BindingKey(w.gateway, api.BindingGatewayUID): gatewayUID,
		api.BindingKey(w.gateway, api.BindingStateUID):   stateUID,
		api.BindingKey(w.gateway, "phase"):               phase,
	}
}

// set is the nine, or some of them.
type set []*unstructured.Unstructured

// render renders the gateway; with a copy of the registry among the input it is
// bound.
func (w *world) render(registry map[string]string) set {
	w.Helper()
	input, err := os.ReadFile("testdata/gateway.yaml")
	if err != nil {
		w.Fatal(err)
	}
	text := strings.NewReplacer("$NAMESPACE", w.namespace, "$GATEWAY", w.gateway, "$CLUSTERIP", w.clusterIP).Replace(string(input))
	if registry != nil {
		copied, err := json.Marshal(map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "data": registry,
			"metadata": map[string]any{"name": api.BindingsName, "namespace": w.namespace},
		})
		if err != nil {
			w.Fatal(err)
		}
		text += "---\n" + string(copied) + "\n"
	}
	s := rendered(w, text)
	if len(s) != objects.Count {
		w.Fatalf("%d objects, want %d", len(s), objects.Count)
	}
	return s
}

func rendered(t testing.TB, input string) set {
	t.Helper()
	docs, findings := document.Parse("", []byte(input))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		t.Fatal(err)
	}
	var s set
	for _, o := range out.Objects() {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(o.JSON); err != nil {
			t.Fatal(err)
		}
		s = append(s, u)
	}
	return s
}

// substituted is what Flux applies: each variable replaced by the registry's
// value, or by its default.
func (w *world) substituted(registry map[string]string) set {
	w.Helper()
	pairs := []string{}
	for _, field := range []string{api.BindingGatewayUID, api.BindingStateUID} {
		value, ok := registry[api.BindingKey(w.gateway, field)]
		if !ok {
			value = "<unbound>"
		}
		pairs = append(pairs, api.Placeholder(w.gateway, field), value)
	}
	return w.render(nil).replaced(w, pairs...)
}

// replaced is the set with texts replaced, in pairs of old and new.
func (s set) replaced(t testing.TB, pairs ...string) set {
	t.Helper()
	r := strings.NewReplacer(pairs...)
	out := make(set, len(s))
	for i, o := range s {
		out[i] = &unstructured.Unstructured{}
		if err := out[i].UnmarshalJSON([]byte(r.Replace(text(t, o)))); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// text is an object as the renderer writes it: <unbound> and not its escape.
func text(t testing.TB, o *unstructured.Unstructured) string {
	t.Helper()
	b, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(b))
}

// manifest is the set as a stream for kubectl.
func (s set) manifest(t testing.TB) string {
	t.Helper()
	docs := make([]string, len(s))
	for i, o := range s {
		docs[i] = text(t, o)
	}
	return strings.Join(docs, "---\n")
}

// get returns the member of a set.
func (s set) get(t testing.TB, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, o := range s {
		if o.GetKind() == kind && o.GetName() == name {
			return o.DeepCopy()
		}
	}
	t.Fatalf("no %s %s", kind, name)
	return nil
}

var kinds = map[string]schema.GroupVersionResource{
	"ConfigMap":           {Version: "v1", Resource: "configmaps"},
	"Secret":              {Version: "v1", Resource: "secrets"},
	"Service":             {Version: "v1", Resource: "services"},
	"ServiceAccount":      {Version: "v1", Resource: "serviceaccounts"},
	"StatefulSet":         {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"PodDisruptionBudget": {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"Role":                {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":         {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
}

// as is a client for the objects of a kind in the namespace.
func (w *world) as(id apiserver.Identity, kind string) dynamic.ResourceInterface {
	w.Helper()
	gvr, ok := kinds[kind]
	if !ok {
		w.Fatalf("no kind %s", kind)
	}
	return w.dynamic(w, id).Resource(gvr).Namespace(w.namespace)
}

// live reads the set back; what is not there is nil.
func (w *world) live(s set) set {
	w.Helper()
	out := make(set, len(s))
	for i, o := range s {
		u, err := w.as(apiserver.Admin, o.GetKind()).Get(w.Context(), o.GetName(), metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			w.Fatal(err)
		}
		if err == nil {
			out[i] = u
		}
	}
	return out
}

// versions are the objects' resourceVersions: whether anything was written.
func (s set) versions() map[string]string {
	out := map[string]string{}
	for _, o := range s {
		if o != nil {
			out[o.GetKind()+"/"+o.GetName()] = o.GetResourceVersion()
		}
	}
	return out
}

// create creates every object of a set.
func (w *world) create(id apiserver.Identity, s set) {
	w.Helper()
	for _, o := range s {
		if _, err := w.as(id, o.GetKind()).Create(w.Context(), o.DeepCopy(), metav1.CreateOptions{}); err != nil {
			w.Fatalf("%s/%s: %v", o.GetKind(), o.GetName(), err)
		}
	}
}

// patch sends a JSON merge patch.
func (w *world) patch(id apiserver.Identity, kind, name, patch string, options metav1.PatchOptions, subresources ...string) (*unstructured.Unstructured, error) {
	w.Helper()
	return w.as(id, kind).Patch(w.Context(), name, types.MergePatchType, []byte(patch), options, subresources...)
}

// kubectl runs kubectl in the namespace.
func (w *world) kubectl(id apiserver.Identity, input string, args ...string) apiserver.Result {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), deadline)
	defer cancel()
	r, err := w.Kubectl(ctx, id, input, append(args, "--namespace="+w.namespace)...)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// must is a kubectl that has to succeed.
func (w *world) must(id apiserver.Identity, input string, args ...string) string {
	w.Helper()
	r := w.kubectl(id, input, args...)
	if r.Code != 0 {
		w.Fatalf("kubectl %s: exit code %d\n%s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// register writes the registry as the minter does, or deletes it for nil, and
// waits until the policies go by it.
func (w *world) register(registry map[string]string) {
	w.Helper()
	client := w.as(w.minter, "ConfigMap")
	current, err := client.Get(w.Context(), api.BindingsName, metav1.GetOptions{})
	switch {
	case err != nil && !apierrors.IsNotFound(err):
	case err == nil && registry == nil:
		err = client.Delete(w.Context(), api.BindingsName, metav1.DeleteOptions{})
	case err == nil:
		current.Object["data"] = values(registry)
		_, err = client.Update(w.Context(), current, metav1.UpdateOptions{})
	case registry == nil:
		err = nil
	default:
		_, err = client.Create(w.Context(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": api.BindingsName}, "data": values(registry),
		}}, metav1.CreateOptions{})
	}
	if err != nil {
		w.Fatal(err)
	}
	w.awaitRegistry(registry)
}

func values(m map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// awaitRegistry asks for the creation of an object until the answer fits: the
// mutating and the validating policies each watch the registry for themselves.
func (w *world) awaitRegistry(registry map[string]string) {
	w.Helper()
	phase, bound := registry[api.BindingKey(w.gateway, "phase")], maps.Clone(registry)
	if bound == nil || phase == "" {
		bound = w.entry("")
	}
	probe := func(s set) string {
		o := s.get(w, "ServiceAccount", w.gateway)
		o.SetName("probe")
		_, err := w.as(apiserver.Person, "ServiceAccount").Create(w.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return err.Error()
		}
		return ""
	}
	var want string
	switch {
	case registry == nil:
		want = "no params found"
	case phase == "":
		want = "has no entry in ConfigMap"
	case phase != "open":
		want = "is not open for creation (phase " + phase + ")"
	}
	eventually(w, "the registry is in force", func() bool {
		got := probe(w.substituted(bound))
		return got == want || want != "" && strings.Contains(got, want)
	})
	if w.mutates() {
		invalid := phase == ""
		eventually(w, "the registry binds", func() bool {
			return strings.Contains(probe(w.render(nil)), "a valid label must") == invalid
		})
	}
}
