package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/open-policy-agent/opa/v1/format"
	"go.yaml.in/yaml/v3"
)

// fixture is the golden corpus' gateway with every field set, its CRs and its
// nine, as Rego that tests of rules change.
func fixture(dir string) ([]byte, error) {
	parts := map[string]any{}
	for _, name := range []string{"full.in.yaml", "full.out.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, "..", "renderer", "testdata", name))
		if err != nil {
			return nil, err
		}
		dec := yaml.NewDecoder(bytes.NewReader(text))
		for {
			var o map[string]any
			if err := dec.Decode(&o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if part := part(o); part != "" {
				parts[part] = o
			}
		}
	}
	data, err := json.MarshalIndent(parts, "", "\t")
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`# METADATA
# description: A gateway with every field set, from the golden corpus. Written by go generate.
package tsunaro.fixture

# METADATA
# description: build is the whole of it; changed is it after a JSON patch, whose paths begin with a part's name.
build := changed([])

changed(ops) := [o | some o in json.patch(parts, ops)]

# METADATA
# description: alone is the build without its CRs, as with emit Resources.
alone(ops) := [o | some o in changed(ops); not startswith(o.apiVersion, "tsunaro.io/")]

parts := %s
`, data)
	return format.Source("fixture_test.rego", []byte(text))
}

// part is what an object of the corpus is called in patches; "" leaves it out.
func part(o map[string]any) string {
	meta, _ := o["metadata"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)
	spec, _ := o["spec"].(map[string]any)
	switch kind := o["kind"].(string); {
	case kind == "Tailnet":
		return "tailnet"
	case kind == "TailnetGateway":
		return "gateway"
	case labels["tsunaro.io/tailnet"] != nil:
		return "hosts"
	case labels["tsunaro.io/gateway"] == nil:
		return ""
	case kind == "Service" && spec["type"] == "LoadBalancer":
		return "lb"
	case kind == "Service" && spec["clusterIP"] == "None":
		return "headless"
	case kind == "Service":
		return "dns"
	default:
		return map[string]string{
			"StatefulSet": "workload", "ConfigMap": "config", "ServiceAccount": "account",
			"Role": "role", "RoleBinding": "binding", "PodDisruptionBudget": "budget",
		}[kind]
	}
}
