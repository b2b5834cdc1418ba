//go:build lab && linux

package blocked

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// object is a manifest.
type object = map[string]any

// text is manifests as kubectl and the renderer read them.
func text(objects ...object) string {
	lines := make([]string, len(objects))
	for i, o := range objects {
		b, err := json.Marshal(o)
		if err != nil {
			panic(err) // maps of strings and numbers: cannot happen
		}
		lines[i] = string(b)
	}
	return strings.Join(lines, "\n---\n")
}

// resources are the plurals of the kinds that tests write.
var resources = map[string]schema.GroupVersionResource{
	api.KindTailnet: custom("tailnets"), api.KindTailnetGateway: custom("tailnetgateways"),
	"ConfigMap":           {Version: "v1", Resource: "configmaps"},
	"Pod":                 {Version: "v1", Resource: "pods"},
	"Secret":              {Version: "v1", Resource: "secrets"},
	"Service":             {Version: "v1", Resource: "services"},
	"ServiceAccount":      {Version: "v1", Resource: "serviceaccounts"},
	"StatefulSet":         {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"PodDisruptionBudget": {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"Role":                {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":         {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
}

// put applies manifests server-side, as kubectl does with a person's rights: to
// run kubectl itself costs a hundred times as much.
func put(ctx context.Context, w *labtest.World, objects ...object) error {
	for _, o := range objects {
		u := &unstructured.Unstructured{Object: o}
		in := w.Dynamic(apiserver.Person).Resource(resources[u.GetKind()]).Namespace(u.GetNamespace())
		if _, err := in.Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: "kubectl", Force: true}); err != nil {
			return err
		}
	}
	return nil
}

// apply applies manifests, which has to succeed.
func apply(w *labtest.World, objects ...object) {
	w.Helper()
	if err := put(w.Context(), w, objects...); err != nil {
		w.Fatal(err)
	}
}

// created is what comes of creating an object as a person.
func created(w *labtest.World, o object) error {
	u := &unstructured.Unstructured{Object: o}
	in := w.Dynamic(apiserver.Person).Resource(resources[u.GetKind()]).Namespace(u.GetNamespace())
	_, err := in.Create(w.Context(), u, metav1.CreateOptions{})
	return err
}

// tailnet is a Tailnet of the lab's Headscale; spec adds to it.
func tailnet(name, namespace string, spec object) object {
	all := object{
		"operatorNamespace": namespace, "controlURL": lab.HeadscaleURL, "caBundleConfigMapRef": object{"name": "headscale-ca"},
		"dns": object{"hostsConfigMapRef": object{"name": name + "-hosts"}},
	}
	maps.Copy(all, spec)
	return object{"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": object{"name": name}, "spec": all}
}

// hosts is the hosts source of a Tailnet, and empty.
func hosts(tailnet, namespace string) object {
	return object{
		"apiVersion": "v1", "kind": "ConfigMap", "data": object{api.DefaultHostsKey: ""},
		"metadata": object{"name": tailnet + "-hosts", "namespace": namespace, "labels": object{api.LabelTailnet: tailnet}},
	}
}

// numbers are given out to gateways, for addresses of their own.
var numbers = make(chan int, maxGateways)

const maxGateways = 200

func init() {
	for n := range maxGateways {
		numbers <- n + 10
	}
}

// elsewhere keeps the kubelet away from a gateway's Pod: no node has it.
var elsewhere = object{"lab.example/kubelet": "stand-in"}

// spec is that of a gateway with addresses of its own.
func spec(name, tailnet string, n int) object {
	return object{
		"suspend": false, "tailnetRef": object{"name": tailnet}, "tags": []any{"tag:gateway"},
		"routes": object{"lan": []any{fmt.Sprintf("192.168.%d.0/24", n)}}, "tailnetLBCIDR": "10.99.0.0/24",
		"loadBalancerIP": fmt.Sprintf("10.99.0.%d", n),
		"dns":            object{"zone": name + ".example", "serviceName": name + "-dns", "clusterIP": labtest.ServiceIP(n - 10)},
		"pod":            object{"nodeSelector": maps.Clone(elsewhere)},
	}
}

// set sets a field of a manifest, by its path of names.
func set(o object, value any, path ...string) {
	if err := unstructured.SetNestedField(o, value, path...); err != nil {
		panic(err) // a test that mistakes a path
	}
}

// rendered are the nine of a gateway, bound by the registry if there is a copy of it
// among the documents.
func rendered(w *labtest.World, documents ...object) []object {
	w.Helper()
	docs, findings := document.Parse("", []byte(text(documents...)))
	if len(findings) > 0 {
		w.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		w.Fatal(err)
	}
	var nine []object
	for _, o := range out.Objects() {
		var u object
		if err := json.Unmarshal(o.JSON, &u); err != nil {
			w.Fatal(err)
		}
		nine = append(nine, u)
	}
	return nine
}

// find is the one of the nine with a kind and a name.
func find(nine []object, kind, name string) object {
	i := slices.IndexFunc(nine, func(o object) bool {
		return o["kind"] == kind && o["metadata"].(object)["name"] == name
	})
	return nine[i]
}
