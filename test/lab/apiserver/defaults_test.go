//go:build lab

package apiserver

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// What is rendered is what a server gives back: nothing is defaulted, before and
// after the server read it from its store anew. Only the fields that the table
// calls allocated differ.
//
// REQ: RN-06
func TestNothingIsDefaulted(t *testing.T) {
	inputs, err := filepath.Glob("../../../renderer/testdata/*.in.yaml")
	if err != nil {
		t.Fatal(err)
	}
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		admin, compared := l.dynamic(t, apiserver.Admin), 0
		read := func(o *unstructured.Unstructured) *unstructured.Unstructured {
			live, err := admin.Resource(kinds[o.GetKind()]).Namespace(o.GetNamespace()).Get(t.Context(), o.GetName(), metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return live
		}
		w := l.world(t)
		var all set
		for n, input := range inputs {
			text, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			namespace := fmt.Sprintf("input-%d", n)
			w.must(apiserver.Admin, "", "create", "namespace", namespace)
			for i, o := range boundAnyhow(t, string(text)) { // inputs may use the same names and addresses
				o.SetNamespace(namespace)
				if ip, ok, _ := unstructured.NestedString(o.Object, "spec", "clusterIP"); ok && ip != "None" {
					ip = fmt.Sprintf("10.96.%d.%d", 100+n, 1+i)
					o.Object["spec"].(map[string]any)["clusterIP"], o.Object["spec"].(map[string]any)["clusterIPs"] = ip, []any{ip}
				}
				all = append(all, o)
			}
		}
		for i, o := range all {
			_, err := admin.Resource(kinds[o.GetKind()]).Namespace(o.GetNamespace()).Create(t.Context(), o.DeepCopy(), metav1.CreateOptions{})
			if err != nil {
				t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
			}
			compare(t, "created", o, read(all[i]))
		}
		if err := l.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, o := range all {
			compare(t, "read back after a restart", o, read(o))
			compared++
		}
		if compared < 36 {
			t.Errorf("%d objects, want at least those of four gateways", compared)
		}
		w.awaitRegistry(nil) // the restarted server has its policies again
	})
}

// boundAnyhow renders an input and puts UIDs where its gateways are not bound.
func boundAnyhow(t *testing.T, input string) set {
	t.Helper()
	s := rendered(t, input)
	for _, o := range s {
		name := o.GetLabels()[api.LabelGateway]
		s = s.replaced(t, api.Placeholder(name, api.BindingGatewayUID), gatewayUID, api.Placeholder(name, api.BindingStateUID), stateUID)
	}
	return s
}

// compare wants all that was rendered and nothing else, beside what only a
// server writes: status and its own metadata.
func compare(t *testing.T, when string, want, got *unstructured.Unstructured) {
	t.Helper()
	w, g := want.DeepCopy().Object, got.DeepCopy().Object
	for _, o := range []map[string]any{w, g} {
		digest.Blank(o, digest.Allocated)
		delete(o, "status")
		meta := o["metadata"].(map[string]any)
		for _, key := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
			delete(meta, key)
		}
	}
	differences(t, when+": "+want.GetKind()+" "+want.GetName(), w, g)
}

func differences(t *testing.T, path string, want, got any) {
	t.Helper()
	w, isMap := want.(map[string]any)
	g, both := got.(map[string]any)
	if !isMap || !both {
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
		return
	}
	for k := range w {
		if _, ok := g[k]; !ok {
			t.Errorf("%s.%s is gone", path, k)
		}
	}
	for k, v := range g {
		if _, ok := w[k]; !ok {
			t.Errorf("%s.%s was filled in: %v", path, k, v)
			continue
		}
		differences(t, path+"."+k, w[k], v)
	}
}
