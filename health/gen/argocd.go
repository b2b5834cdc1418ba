package main

import (
	"bytes"
	"io/fs"
	"path"

	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
)

// generated is the head of a generated file.
const generated = "# Generated: make generate.\n"

// states is the corpus.
func states(root fs.FS) ([]corpus.State, error) {
	health, err := fs.Sub(root, "health")
	if err != nil {
		return nil, err
	}
	return corpus.Read(health)
}

// healthTest is Argo CD's own form of what is expected of the corpus.
func healthTest(root fs.FS, kind string) ([]byte, error) {
	states, err := states(root)
	if err != nil {
		return nil, err
	}
	type status struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	type test struct {
		Status status `json:"healthStatus"`
		Input  string `json:"inputPath"`
	}
	tests := []test{}
	for _, s := range states {
		if s.Kind() == kind {
			tests = append(tests, test{status{s.Health, s.Message}, s.Input()})
		}
	}
	return document(map[string]any{"tests": tests})
}

// actions are what Argo CD's menu offers for a kind.
var actions = map[string][]string{
	api.KindTailnetGateway: {"verify", "suspend", "resume"},
	api.KindTailnet:        {"verify"},
}

// argoCD is argocd-cm with the scripts of all kinds: what an Argo CD needs that does
// not bring them along.
func argoCD(root fs.FS) ([]byte, error) {
	data := map[string]string{}
	for _, kind := range kinds {
		scripts := path.Join("health", corpus.Customizations, kind)
		script, err := fs.ReadFile(root, path.Join(scripts, "health.lua"))
		if err != nil {
			return nil, err
		}
		menu, err := menu(root, path.Join(scripts, "actions"), actions[kind])
		if err != nil {
			return nil, err
		}
		data["resource.customizations.health."+api.Group+"_"+kind] = string(script)
		data["resource.customizations.actions."+api.Group+"_"+kind] = string(menu)
	}
	return settings(data)
}

// menu is the setting of the actions in a directory.
func menu(root fs.FS, dir string, names []string) ([]byte, error) {
	discovery, err := fs.ReadFile(root, path.Join(dir, "discovery.lua"))
	if err != nil {
		return nil, err
	}
	type definition struct {
		Name   string `json:"name"`
		Script string `json:"action.lua"`
	}
	var definitions []definition
	for _, name := range names {
		script, err := fs.ReadFile(root, path.Join(dir, name, "action.lua"))
		if err != nil {
			return nil, err
		}
		definitions = append(definitions, definition{name, string(script)})
	}
	return yaml.Marshal(map[string]any{"discovery.lua": string(discovery), "definitions": definitions})
}

// settings is a patch of argocd-cm.
func settings(data map[string]string) ([]byte, error) {
	return document(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "argocd-cm", "namespace": "argocd"}, "data": data,
	})
}

func document(v any) ([]byte, error) {
	text, err := yaml.Marshal(v)
	return bytes.Join([][]byte{[]byte(generated), text}, nil), err
}
