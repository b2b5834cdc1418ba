package compare

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer"
)

// kustomization is the part of a kustomization file that looks as if it should
// reach the nine, and does not when it stands in the function's own layer: there
// kustomize's own transformers run first and see no container yet.
type kustomization struct {
	Images []struct {
		Name    string `yaml:"name"`
		NewName string `yaml:"newName"`
		NewTag  string `yaml:"newTag"`
		Digest  string `yaml:"digest"`
	} `yaml:"images"`
}

// Images checks a kustomization file for images entries that name an image of a
// gateway and have no effect on it.
func Images(name string, file []byte, fresh renderer.Output) ([]Result, error) {
	var k kustomization
	if err := yaml.Unmarshal(file, &k); err != nil {
		return nil, err
	}
	var results []Result
	for i, e := range k.Images {
		for _, g := range fresh.Gateways {
			for _, image := range []string{string(g.Gateway.Images.CoreDNS), string(g.Gateway.Images.Tailscale)} {
				wanted := override(image, e.NewName, e.NewTag, e.Digest)
				if repository(image) == e.Name && wanted != image {
					results = append(results, Result{NoEffect, name, "images[" + strconv.Itoa(i) + "]", wanted, image})
				}
			}
		}
	}
	return results, nil
}

func repository(image string) string {
	name, _, _ := strings.Cut(image, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name = name[:i]
	}
	return name
}

// override is what kustomize would make of an image.
func override(image, newName, newTag, digest string) string {
	name := repository(image)
	rest := strings.TrimPrefix(image, name)
	if newName != "" {
		name = newName
	}
	switch {
	case digest != "":
		rest = "@" + digest
	case newTag != "":
		rest = ":" + newTag
	}
	return name + rest
}
