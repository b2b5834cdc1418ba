package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"tsunaro.io/gateway/kustomize-plugin/function"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/objects"
)

// Case is one piece of work, measured as often as it is run.
type Case struct {
	Name     string
	Gateways int // that one run renders
	Run      func() error
}

// Names of the cases. Fleet names take the number of gateways.
const (
	Render    = "render"
	Typed     = "encode-typed"
	Parse     = "parse"
	ParseYAML = "parse-yaml"
	FullHosts = "full-hosts"
	Fleet     = "fleet-%d"
)

// FleetSizes are the numbers of gateways in one ResourceList.
var FleetSizes = []int{1, 10, 100, 1000, 10000}

// Singles prepares the cases of one gateway, and what rendering it is compared
// with.
func Singles() ([]Case, error) {
	text := stream(fleet(1))
	render, err := rendering(text)
	if err != nil {
		return nil, err
	}
	typed, err := encodeTyped(text)
	if err != nil {
		return nil, err
	}
	hosts, err := rendering(stream(fullHosts()))
	if err != nil {
		return nil, err
	}
	return []Case{
		{Render, 1, render},
		{Typed, 1, typed},
		{Parse, 1, func() error { _, err := parse(text); return err }},
		{ParseYAML, 1, func() error { return parseYAML(text) }},
		{FullHosts, 1, hosts},
	}, nil
}

// Fleets prepares the cases of many gateways in one ResourceList.
func Fleets() []Case {
	var cases []Case
	for _, n := range FleetSizes {
		list := resourceList(fleet(n))
		cases = append(cases, Case{fmt.Sprintf(Fleet, n), n, func() error {
			return function.Run(bytes.NewReader(list), io.Discard, io.Discard, nil)
		}})
	}
	return cases
}

// rendering is the render core: documents in, nine JSON objects out.
func rendering(text []byte) (func() error, error) {
	docs, err := parse(text)
	return func() error {
		_, err := renderer.Render(docs)
		return err
	}, err
}

func parse(text []byte) ([]document.Document, error) {
	docs, findings := document.Parse("", text)
	if len(findings) > 0 {
		return nil, fmt.Errorf("input refused: %v", findings)
	}
	return docs, nil
}

// parseYAML reads a stream and looks at nothing in it.
func parseYAML(text []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// encodeTyped encodes the nine of one gateway that others have already decided
// and laid out: as Kubernetes' own types, with encoding/json.
func encodeTyped(text []byte) (func() error, error) {
	docs, err := parse(text)
	if err != nil {
		return nil, err
	}
	out, err := renderer.Render(docs)
	if err != nil {
		return nil, err
	}
	var nine []any
	for _, o := range out.Objects() {
		v, err := typed(o)
		if err != nil {
			return nil, err
		}
		nine = append(nine, v)
	}
	return func() error {
		for _, v := range nine {
			if _, err := json.Marshal(v); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// typed returns an object as Kubernetes' own type, which must know every field.
func typed(o objects.Object) (any, error) {
	kinds := map[string]any{
		"ServiceAccount":      &corev1.ServiceAccount{},
		"Role":                &rbacv1.Role{},
		"RoleBinding":         &rbacv1.RoleBinding{},
		"ConfigMap":           &corev1.ConfigMap{},
		"Service":             &corev1.Service{},
		"PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
		"StatefulSet":         &appsv1.StatefulSet{},
	}
	v, ok := kinds[o.Kind]
	if !ok {
		return nil, fmt.Errorf("no type for kind %s", o.Kind)
	}
	dec := json.NewDecoder(bytes.NewReader(o.JSON))
	dec.DisallowUnknownFields()
	return v, dec.Decode(v)
}
