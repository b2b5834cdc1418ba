package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/api"
)

// definition is the part of a CRD that the page shows.
type definition struct {
	Spec struct {
		Scope string `yaml:"scope"`
		Names struct {
			Kind       string   `yaml:"kind"`
			ShortNames []string `yaml:"shortNames"`
		} `yaml:"names"`
		Versions []struct {
			Schema struct {
				Root schema `yaml:"openAPIV3Schema"`
			} `yaml:"schema"`
		} `yaml:"versions"`
	} `yaml:"spec"`
}

type schema struct {
	Description   string             `yaml:"description"`
	Type          string             `yaml:"type"`
	Format        string             `yaml:"format"`
	Default       any                `yaml:"default"`
	Enum          []string           `yaml:"enum"`
	Required      []string           `yaml:"required"`
	Properties    map[string]*schema `yaml:"properties"`
	Items         *schema            `yaml:"items"`
	Values        *schema            `yaml:"additionalProperties"`
	IntOrString   bool               `yaml:"x-kubernetes-int-or-string"`
	MinItems      int                `yaml:"minItems"`
	MaxItems      int                `yaml:"maxItems"`
	MaxLength     int                `yaml:"maxLength"`
	MaxProperties int                `yaml:"maxProperties"`
}

func parse(b []byte) (definition, error) {
	var d definition
	if err := yaml.Unmarshal(b, &d); err != nil {
		return d, err
	}
	if len(d.Spec.Versions) != 1 {
		return d, fmt.Errorf("%d versions, want 1", len(d.Spec.Versions))
	}
	return d, nil
}

// field is a row of a table.
type field struct {
	path     string
	schema   *schema
	required bool
}

// fields lists everything below a schema, the parts after the whole.
func fields(path string, s *schema, order func(a, b string) int) []field {
	var out []field
	names := slices.Collect(maps.Keys(s.Properties))
	slices.SortFunc(names, func(a, b string) int { return order(path+"."+a, path+"."+b) })
	for _, name := range names {
		child, below := s.Properties[name], path+"."+name
		out = append(out, field{below, child, slices.Contains(s.Required, name)})
		if child.Items != nil {
			below, child = below+"[]", child.Items
		}
		out = append(out, fields(below, child, order)...)
	}
	return out
}

// typeName is the type of a field with its bounds.
func (s *schema) typeName() string {
	switch {
	case s.IntOrString:
		return "quantity"
	case len(s.Enum) > 0:
		return "`" + strings.Join(s.Enum, "` or `") + "`"
	case s.Items != nil:
		return "list of " + s.Items.typeName() + s.count()
	case s.Values != nil:
		return "map of " + s.Values.typeName() + s.count()
	case s.Format == "date-time":
		return "time"
	case s.MaxLength > 0:
		return fmt.Sprintf("string ≤ %d", s.MaxLength)
	default:
		return s.Type
	}
}

// count tells how many entries a list or map may hold.
func (s *schema) count() string {
	most := max(s.MaxItems, s.MaxProperties)
	switch {
	case most == 0:
		return ""
	case s.MinItems > 0:
		return fmt.Sprintf(", %d to %d", s.MinItems, most)
	default:
		return fmt.Sprintf(", at most %d", most)
	}
}

// defaultText is the default of a field. That of an object is shown at its
// parts.
func (s *schema) defaultText() (string, error) {
	if _, isObject := s.Default.(map[string]any); isObject || s.Default == nil {
		return "", nil
	}
	if text, ok := s.Default.(string); ok {
		return code(text), nil
	}
	b, err := json.Marshal(s.Default)
	return code(string(b)), err
}

// meaning is the description without its class.
func (s *schema) meaning() string {
	text := strings.Join(strings.Fields(s.Description), " ")
	for _, c := range []api.Class{api.Identity, api.Pinned, api.Mutable} {
		text = strings.TrimSuffix(text, " Class: "+string(c)+".")
	}
	return text
}
