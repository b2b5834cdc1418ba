//go:build lab

package access

import (
	"encoding/json"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/objects"
)

// gateway is the one of examples/home-lab.
const gateway = "lab-gw"

// uids of it and of its state Secret.
const (
	gatewayUID = "0f6bb1b4-8a1c-4a5c-9d3e-1c1f0c1a2b3c"
	stateUID   = "7a0d9a2e-1b2c-4d3e-8f90-112233445566"
)

// custom is a custom resource by its plural.
func custom(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: api.Group, Version: api.Version, Resource: resource}
}

func tailnet(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": map[string]any{"name": name},
		"spec": map[string]any{"controlURL": "https://headscale.example"},
	}}
}

// registry is the gateway's entry while its objects may be created.
func registry() map[string]string {
	return map[string]string{
		api.BindingKey(gateway, api.BindingGatewayUID): gatewayUID,
		api.BindingKey(gateway, api.BindingStateUID):   stateUID,
		api.BindingKey(gateway, api.BindingPhase):      api.PhaseOpen,
	}
}

// input is a file of examples/home-lab.
func (l lab) input(name string) []byte {
	l.Helper()
	text, err := os.ReadFile(filepath.Join(l.root(), "examples", "home-lab", name))
	if err != nil {
		l.Fatal(err)
	}
	return text
}

// nine are the gateway's, of the example's Tailnet.
func (l lab) nine() []*unstructured.Unstructured {
	l.Helper()
	return l.render(l.input("tailnet.yaml"), registry())
}

// render renders the gateway, bound by a copy of the registry.
func (l lab) render(tailnet []byte, registry map[string]string) []*unstructured.Unstructured {
	l.Helper()
	copied, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": registry,
		"metadata": map[string]any{"name": api.BindingsName, "namespace": namespace},
	})
	if err != nil {
		l.Fatal(err)
	}
	var docs []document.Document
	for name, text := range map[string][]byte{
		"tailnet": tailnet, "gateway": l.input("gateway.yaml"), "hosts": l.input("hosts.yaml"), "registry": copied,
	} {
		parsed, findings := document.Parse(name, text)
		if len(findings) > 0 {
			l.Fatal(findings)
		}
		docs = append(docs, parsed...)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		l.Fatal(err)
	}
	var all []*unstructured.Unstructured
	for _, o := range out.Objects() {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(o.JSON); err != nil {
			l.Fatal(err)
		}
		all = append(all, u)
	}
	if len(all) != objects.Count {
		l.Fatalf("%d objects, want %d", len(all), objects.Count)
	}
	return all
}

// resources are those of the kinds of the nine.
var resources = map[string]schema.GroupVersionResource{
	"ConfigMap":           {Version: "v1", Resource: "configmaps"},
	"Service":             {Version: "v1", Resource: "services"},
	"ServiceAccount":      {Version: "v1", Resource: "serviceaccounts"},
	"StatefulSet":         {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"PodDisruptionBudget": {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"Role":                {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":         {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
}
