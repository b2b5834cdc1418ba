package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/policies"
)

// packages are read in this order of the index.
var packages = []policies.Package{policies.Change, policies.Drift, policies.Rendered, policies.Transformed}

// index reads the metadata of every rule. A rule without one, or with another
// name than that of its folder, is an error.
func index(dir string) ([]byte, error) {
	var rules []policies.Rule
	for _, p := range packages {
		folders, err := os.ReadDir(filepath.Join(dir, string(p)))
		if err != nil {
			return nil, err
		}
		for _, f := range folders {
			r, err := rule(dir, string(p)+"/"+f.Name())
			if err != nil {
				return nil, err
			}
			rules = append(rules, r)
		}
	}
	var out bytes.Buffer
	out.WriteString("# The rules, as their metadata describes them. Written by go generate.\n")
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(rules); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func rule(dir, id string) (r policies.Rule, err error) {
	name := filepath.Join(dir, filepath.FromSlash(id), filepath.Base(id)+".rego")
	text, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	m, err := ast.ParseModuleWithOpts(id, string(text), ast.ParserOptions{ProcessAnnotation: true})
	if err != nil {
		return r, err
	}
	for _, a := range m.Annotations {
		if a.Scope != "package" {
			continue
		}
		custom, err := json.Marshal(a.Custom)
		if err != nil {
			return r, err
		}
		if err := json.Unmarshal(custom, &r); err != nil {
			return r, fmt.Errorf("%s: %w", id, err)
		}
		r.Title, r.Description = a.Title, strings.Join(strings.Fields(a.Description), " ")
	}
	if r.ID != id || r.Title == "" || r.Description == "" || len(r.Requirements) == 0 || r.Severity != "error" || r.Remedy == "" {
		return r, fmt.Errorf("%s: its metadata is incomplete, or of another rule: %+v", id, r)
	}
	if want := "data.tsunaro." + strings.ReplaceAll(id, "/", "."); m.Package.Path.String() != want {
		return r, fmt.Errorf("%s: the package is %s, not %s", id, m.Package.Path, want)
	}
	return r, nil
}
