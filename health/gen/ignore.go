package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
)

// differences are what Argo CD is not to compare of a kind.
type differences struct {
	Pointers []string `json:"jsonPointers,omitempty"`
	Queries  []string `json:"jqPathExpressions,omitempty"`
}

// rendered is a build in which every placeholder still stands.
const rendered = "examples/argocd/gateway/expected/build.yaml"

// ignoreDifferences is argocd-cm with what becomes of a rendering in a cluster: its
// placeholders, and the live zone.
func ignoreDifferences(root fs.FS) ([]byte, error) {
	kinds := map[string]*differences{}
	objects, err := read(root, rendered)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		for _, pointer := range placeholders(o, "") {
			kind := setting(o)
			if kinds[kind] == nil {
				kinds[kind] = new(differences)
			}
			if d := kinds[kind]; !slices.Contains(d.Pointers, pointer) {
				d.Pointers = append(d.Pointers, pointer)
			}
		}
	}
	kinds["ConfigMap"].Queries = liveZone()
	data := map[string]string{}
	for kind, d := range kinds {
		slices.Sort(d.Pointers)
		text, err := yaml.Marshal(d)
		if err != nil {
			return nil, err
		}
		data["resource.customizations.ignoreDifferences."+kind] = string(text)
	}
	return settings(data)
}

// liveZone are the minter's parts of a gateway's ConfigMap; those of others are
// compared as ever.
func liveZone() []string {
	ours := `select(.metadata.labels["` + api.LabelGateway + `"] != null)`
	var queries []string
	for _, key := range []string{api.DataCorefile, api.DataZone, api.DataHosts} {
		queries = append(queries, ours+` | .data["`+key+`"]`)
	}
	for _, key := range []string{api.AnnotationDNSSerial, api.AnnotationDNSHash} {
		queries = append(queries, ours+` | .metadata.annotations["`+key+`"]`)
	}
	return queries
}

// placeholders are the JSON pointers of everything that is unbound.
func placeholders(v any, at string) []string {
	switch v := v.(type) {
	case map[string]any:
		var all []string
		for key, value := range v {
			all = append(all, placeholders(value, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key))...)
		}
		return all
	case string:
		if strings.HasSuffix(v, ":=<unbound>}") {
			return []string{at}
		}
	}
	return nil
}

// setting is how a setting of Argo CD calls the kind of an object.
func setting(o map[string]any) string {
	version, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	if group := schema.FromAPIVersionAndKind(version, kind).Group; group != "" {
		return group + "_" + kind
	}
	return kind
}

func read(root fs.FS, name string) ([]map[string]any, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return nil, err
	}
	var objects []map[string]any
	for dec := yamlv3.NewDecoder(bytes.NewReader(text)); ; {
		var o map[string]any
		if err := dec.Decode(&o); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
}
