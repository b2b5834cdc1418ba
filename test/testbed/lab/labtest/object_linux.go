package labtest

import (
	"context"
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// Object is a manifest.
type Object = map[string]any

// resources are the plurals of the kinds that tests write.
var resources = map[string]schema.GroupVersionResource{
	api.KindTailnet:        {Group: api.Group, Version: api.Version, Resource: "tailnets"},
	api.KindTailnetGateway: {Group: api.Group, Version: api.Version, Resource: "tailnetgateways"},
	api.KindTailnetEgress:  {Group: api.Group, Version: api.Version, Resource: "tailnetegresses"},
	"ConfigMap":            {Version: "v1", Resource: "configmaps"},
	"Pod":                  {Version: "v1", Resource: "pods"},
	"Secret":               {Version: "v1", Resource: "secrets"},
	"Service":              {Version: "v1", Resource: "services"},
	"ServiceAccount":       {Version: "v1", Resource: "serviceaccounts"},
	"StatefulSet":          {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"PodDisruptionBudget":  {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"Role":                 {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":          {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
}

// Resource is a client of the objects of a kind in a namespace, which is empty for
// custom resources that have none.
func (w *World) Resource(id apiserver.Identity, kind, namespace string) dynamic.ResourceInterface {
	w.Helper()
	r, ok := resources[kind]
	if !ok {
		w.Fatalf("no resource of the kind %s is known here", kind)
	}
	all := w.Dynamic(id).Resource(r)
	if namespace == "" {
		return all
	}
	return all.Namespace(namespace)
}

// Put applies manifests server-side and takes over what others have written, as
// engines do. The first error ends it. To run kubectl costs a hundred times as much.
func (w *World) Put(ctx context.Context, id apiserver.Identity, objects ...Object) error {
	w.Helper()
	for _, o := range objects {
		u := &unstructured.Unstructured{Object: o}
		in := w.Resource(id, u.GetKind(), u.GetNamespace())
		if _, err := in.Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: "engine", Force: true}); err != nil {
			return err
		}
	}
	return nil
}

// Text is manifests as kubectl and the renderer read them.
func (w *World) Text(objects ...Object) string {
	w.Helper()
	lines := make([]string, len(objects))
	for i, o := range objects {
		b, err := json.Marshal(o)
		if err != nil {
			w.Fatal(err)
		}
		lines[i] = string(b)
	}
	return strings.Join(lines, "\n---\n")
}

// Objects are the documents of a build.
func (w *World) Objects(text string) (objects []Object) {
	w.Helper()
	for doc := range strings.SplitSeq(text, "\n---\n") {
		var o Object
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			w.Fatal(err)
		}
		if o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}

// Render are the nine that the renderer makes of custom resources and hosts, bound
// if a copy of the registry is among them.
func (w *World) Render(documents ...Object) (nine []Object) {
	w.Helper()
	docs, findings := document.Parse("", []byte(w.Text(documents...)))
	if len(findings) > 0 {
		w.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		w.Fatal(err)
	}
	for _, o := range out.Objects() {
		var u Object
		if err := json.Unmarshal(o.JSON, &u); err != nil {
			w.Fatal(err)
		}
		nine = append(nine, u)
	}
	return nine
}
