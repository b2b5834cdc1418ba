package receipt

import (
	"fmt"
	"reflect"
	"testing"

	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/crd"
)

const (
	sparseGateway = `
metadata: {name: lab-gw}
spec:
  tailnetRef: {name: home}
  tags: ["tag:a"]
  routes: {lan: [192.168.10.0/24]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53}
`
	sparseTailnet = `
metadata: {name: home}
spec:
  controlURL: https://headscale.example
  caBundleConfigMapRef: {name: ca}
  policy: {baseConfigMapRef: {name: base}}
`
)

// What is left out means what an API server fills in, by the CRDs' own defaults,
// and for two fields what follows from the name. What is written out stays.
//
// REQ: LC-13, MT-03
func TestDefaults(t *testing.T) {
	filled := 0
	for _, b := range crd.All() {
		var d definition
		if err := yaml.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		kind := d.Spec.Names.Kind
		text, ok := map[string]string{api.KindTailnetGateway: sparseGateway, api.KindTailnet: sparseTailnet}[kind]
		if !ok {
			continue
		}
		object := *read[map[string]any](t, text)
		spec := object["spec"].(map[string]any)
		fill(d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties.Spec, spec)
		if kind == api.KindTailnetGateway {
			spec["hostname"], spec["stateSecretRef"] = "lab-gw", map[string]any{"name": "lab-gw-state"}
		}
		server, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		filled++
		if was, now := scope(t, kind, text), scope(t, kind, string(server)); was != now {
			t.Errorf("%s: the spec hashes otherwise once the server has read it:\n%s", kind, server)
		}
		if was, now := subject(t, kind, text), subject(t, kind, string(server)); !reflect.DeepEqual(was, now) {
			t.Errorf("%s: %v became %v", kind, was, now)
		}
	}
	if filled != 2 {
		t.Errorf("%d kinds, want 2", filled)
	}
	g, n := read[v1alpha1.TailnetGateway](t, fullGateway), read[v1alpha1.Tailnet](t, fullTailnet)
	if !reflect.DeepEqual(g, defaultedGateway(g)) || !reflect.DeepEqual(n, defaultedTailnet(n)) {
		t.Error("a default replaces what is written")
	}
	before := fmt.Sprint(read[v1alpha1.TailnetGateway](t, sparseGateway).Spec)
	g = read[v1alpha1.TailnetGateway](t, sparseGateway)
	if GatewayScope(g); fmt.Sprint(g.Spec) != before {
		t.Error("the CR was changed in place")
	}
}

// definition is the part of a CRD that holds the defaults.
type definition struct {
	Spec struct {
		Names    struct{ Kind string }
		Versions []struct {
			Schema struct {
				OpenAPIV3Schema struct {
					Properties struct{ Spec map[string]any }
				}
			}
		}
	}
}

// fill puts the defaults of a schema into a value, as an API server does.
func fill(schema map[string]any, value any) {
	object, ok := value.(map[string]any)
	if !ok {
		return
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		property := p.(map[string]any)
		if d, ok := property["default"]; ok && object[name] == nil {
			if _, empty := d.(map[string]any); empty {
				d = map[string]any{}
			}
			object[name] = d
		}
		fill(property, object[name])
	}
}
