//go:build lab && linux

package teardown

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// at is where an object of the table is: Kind/GW….
func (g *gateway) at(object string) (in dynamic.ResourceInterface, name string) {
	g.Helper()
	kind, name, _ := strings.Cut(g.own(object), "/")
	return g.Resource(apiserver.Admin, kind, g.Namespace), name
}

// remove deletes objects of the gateway's behind the minter's back, and waits until
// they are gone.
func (g *gateway) remove(list ...string) {
	g.Helper()
	for _, object := range list {
		in, name := g.at(object)
		if err := in.Delete(g.Context(), name, metav1.DeleteOptions{}); err != nil {
			g.Fatal(err)
		}
		g.Await(object+" is gone", func(ctx context.Context) error {
			_, err := in.Get(ctx, name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return errors.Join(errors.New("it is not"), err)
		})
	}
}

// copied is an object as somebody would create it again.
func (g *gateway) copied(object string) *unstructured.Unstructured {
	g.Helper()
	in, name := g.at(object)
	o, err := in.Get(g.Context(), name, metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	delete(o.Object, "status")
	o.Object["metadata"] = map[string]any{"name": name, "namespace": g.Namespace}
	return o
}

// change is what becomes of an object that is put in the place of one.
type change func(was, now *unstructured.Unstructured)

// replaced is another object that looks the same; foreign is one that is nobody's.
var (
	replaced change = func(was, now *unstructured.Unstructured) {
		now.SetLabels(was.GetLabels())
		now.SetAnnotations(was.GetAnnotations())
	}
	foreign change = func(_, _ *unstructured.Unstructured) {}
)

// strangers are UIDs of a gateway that nobody here has, and of its state.
var strangers = [...]string{"0f6bb1b4-8a1c-4a5c-9d3e-1c1f0c1a2b3c", "7a0d9a2e-1b2c-4d3e-8f90-112233445566"}

// put puts another object in the place of one. A stage, which is not there, is made
// of the receipt.
func (g *gateway) put(object string, of change) {
	g.Helper()
	in, name := g.at(object)
	from := object
	if object == objects["DeleteStage"] {
		from = objects["DeleteFresh"]
	}
	source, sourceName := g.at(from)
	was, err := source.Get(g.Context(), sourceName, metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	now := g.copied(from)
	of(was, now)
	now.SetName(name)
	if from == object {
		g.remove(object)
	}
	if _, err := in.Create(g.Context(), now, metav1.CreateOptions{}); err != nil {
		g.Fatal(err)
	}
}

// editEntry changes the gateway's entry in the registry behind the minter's back. An
// empty value removes a key.
func (g *gateway) editEntry(fields map[string]string) {
	g.Helper()
	var m corev1.ConfigMap
	if _, err := g.Find(g.Context(), api.BindingsName, &m); err != nil {
		g.Fatal(err)
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		key := api.BindingKey(g.name, field)
		if m.Data[key] = fields[field]; fields[field] == "" {
			delete(m.Data, key)
		}
	}
	if err := shared.admin.Update(g.Context(), &m); err != nil {
		g.Fatal(err)
	}
}
