package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/crd"
)

// field is a row of the table of field classes, with the default that the CRD
// fills in.
type field struct {
	Path    string    `json:"path"`
	Class   api.Class `json:"class"`
	Default any       `json:"default,omitempty"`
}

// tables is the data of the policies. All of it is below tsunaro.tables, so that
// opa and conftest load the file into the same place.
func tables(string) ([]byte, error) {
	schemas, err := schemas()
	if err != nil {
		return nil, err
	}
	fields := map[string][]field{}
	for kind, list := range map[string][]api.Field{api.KindTailnet: api.TailnetFields, api.KindTailnetGateway: api.GatewayFields} {
		schema, ok := schemas[kind]
		if !ok {
			return nil, fmt.Errorf("no CRD for %s", kind)
		}
		for _, f := range list {
			d, err := defaultAt(schema, f.Path)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", kind, f.Path, err)
			}
			fields[kind] = append(fields[kind], field{f.Path, f.Class, d})
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	err = enc.Encode(map[string]any{"tsunaro": map[string]any{"tables": map[string]any{"fields": fields, "mask": masks()}}})
	return out.Bytes(), err
}

// schema is the part of an OpenAPI schema that defaults are found in.
type schema struct {
	Default    any               `yaml:"default"`
	Properties map[string]schema `yaml:"properties"`
	Items      *schema           `yaml:"items"`
}

// schemas reads the CRDs, by kind.
func schemas() (map[string]schema, error) {
	kinds := map[string]schema{}
	for _, text := range crd.All() {
		var c struct {
			Spec struct {
				Names    struct{ Kind string }
				Versions []struct {
					Schema struct {
						OpenAPI schema `yaml:"openAPIV3Schema"`
					}
				}
			}
		}
		if err := yaml.Unmarshal(text, &c); err != nil {
			return nil, err
		}
		if len(c.Spec.Versions) != 1 {
			return nil, fmt.Errorf("%d versions of %s: which one's defaults count?", len(c.Spec.Versions), c.Spec.Names.Kind)
		}
		kinds[c.Spec.Names.Kind] = c.Spec.Versions[0].Schema.OpenAPI
	}
	return kinds, nil
}

// defaultAt is the default of the leaf, or what the default of an object around
// it says of the leaf.
func defaultAt(s schema, path string) (any, error) {
	var outer any
	for step := range strings.SplitSeq(path, ".") {
		name, list := strings.CutSuffix(step, "[]")
		next, ok := s.Properties[name]
		if !ok {
			return nil, fmt.Errorf("%s is not in the CRD", name)
		}
		if object, ok := outer.(map[string]any); ok {
			outer = object[name]
		}
		if s = next; s.Default != nil {
			outer = s.Default
		}
		if list {
			if s.Items == nil {
				return nil, fmt.Errorf("%s is not a list in the CRD", name)
			}
			s, outer = *s.Items, nil
		}
	}
	return outer, nil
}
