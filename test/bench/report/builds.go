//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tsunaro.io/gateway/test/testbed/tool"
)

const example = "examples/home-lab"

// Names of the programs.
const (
	empty     = "empty"
	noop      = "no-op"
	noopNine  = "no-op, the nine"
	fn        = "function"
	fnVersion = "version"

	kustomizeStart = "kustomize version"
	buildSources   = "build, sources"
	buildNine      = "build, nine"
	buildNoop      = "build, nine and no-op"
	buildFunction  = "build, function"
	buildResources = "build, function without CRs"
)

// programs prepares everything that is measured from a process's start to its
// end, in files below dir.
func programs(dir string) ([]program, error) {
	paths := map[string]string{}
	for _, name := range []string{"empty", "kyaml-noop", "kustomize", tool.FunctionName} {
		path, err := tool.Path(name)
		if err != nil {
			return nil, err
		}
		paths[name] = path
	}
	b := builds{dir, paths}
	sources, err := b.sources()
	if err != nil {
		return nil, err
	}
	nine, err := b.nine(sources)
	if err != nil {
		return nil, err
	}
	throughNoop, err := b.layer(noop, nine, paths["kyaml-noop"], "All")
	if err != nil {
		return nil, err
	}
	resources, err := b.layer(buildResources, sources, paths[tool.FunctionName], "Resources")
	if err != nil {
		return nil, err
	}
	sourcesList, err := b.resourceList(sources)
	if err != nil {
		return nil, err
	}
	nineList, err := b.resourceList(nine)
	if err != nil {
		return nil, err
	}
	return []program{
		{name: empty, args: []string{paths["empty"]}},
		{name: noop, args: []string{paths["kyaml-noop"]}, stdin: sourcesList},
		{name: noopNine, args: []string{paths["kyaml-noop"]}, stdin: nineList},
		{name: fn, args: []string{paths[tool.FunctionName]}, stdin: sourcesList},
		{name: fnVersion, args: []string{paths[tool.FunctionName], "version"}},
		{name: kustomizeStart, args: []string{paths["kustomize"], "version"}},
		b.build(buildSources, sources),
		b.build(buildNine, nine),
		b.build(buildNoop, throughNoop),
		b.build(buildFunction, example),
		b.build(buildResources, resources),
	}, nil
}

// builds makes kustomizations in directories below dir.
type builds struct {
	dir   string
	paths map[string]string // of programs
}

func (b builds) build(name, dir string) program {
	return program{
		name: name,
		args: []string{b.paths["kustomize"], "build", "--enable-alpha-plugins", "--enable-exec", dir},
		path: filepath.Dir(b.paths[tool.FunctionName]),
	}
}

// sources is the example without the function.
func (b builds) sources() (string, error) {
	dir := filepath.Join(b.dir, "sources")
	if err := os.CopyFS(dir, os.DirFS(example)); err != nil {
		return "", err
	}
	for _, name := range []string{"kustomization.yaml", "render.yaml"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	return b.layer("sources", dir, "", "")
}

// nine is what the example renders to, a file for each.
func (b builds) nine(sources string) (string, error) {
	render := program{name: "render", args: []string{b.paths[tool.FunctionName], "render", sources}}
	text, err := render.output()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.dir, "nine")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	for i, object := range bytes.Split(text, []byte("\n---\n")) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), object, 0o644); err != nil {
			return "", err
		}
	}
	return b.layer("nine", dir, "", "")
}

// layer makes a kustomization, in a directory of its own, of the manifests in a
// directory and, unless it is "", a function to send them through, told what to
// emit.
func (b builds) layer(name, manifests, function, emit string) (string, error) {
	dir := filepath.Join(b.dir, name)
	if dir != manifests {
		if err := os.CopyFS(dir, os.DirFS(manifests)); err != nil {
			return "", err
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString("resources:\n")
	for _, f := range files {
		if base := filepath.Base(f); base != "kustomization.yaml" {
			text.WriteString("- " + base + "\n")
		}
	}
	if function != "" {
		fmt.Fprintf(&text, transformer, function, emit)
	}
	return dir, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text.String()), 0o644)
}

const transformer = `transformers:
- |-
  apiVersion: render.tsunaro.io/v1alpha1
  kind: GatewayRender
  metadata:
    name: render
    annotations:
      config.kubernetes.io/function: |
        exec: {path: %q}
  spec: {emit: %s}
`

// resourceList returns a file with what kustomize sends to a function. The
// function that catches it hands it back unchanged.
func (b builds) resourceList(manifests string) (string, error) {
	name := filepath.Base(manifests) + "-list"
	file, script := filepath.Join(b.dir, name+".yaml"), filepath.Join(b.dir, name+".sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec tee '"+file+"'\n"), 0o755); err != nil {
		return "", err
	}
	dir, err := b.layer(name, manifests, script, "All")
	if err != nil {
		return "", err
	}
	_, err = b.build(name, dir).output()
	return file, err
}
