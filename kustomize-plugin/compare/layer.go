package compare

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// kustomization is the part of a kustomization file that looks as if it should
// reach the nine, and does not when the function is a transformer of the same
// file: kustomize's own transformers run first and see none of the nine. What
// names one of the nine without such a target is refused by kustomize itself.
type kustomization struct {
	Transformers []any
	Images       []struct {
		Name    string
		NewName string `yaml:"newName"`
		NewTag  string `yaml:"newTag"`
		Digest  string
	}
	Patches      []struct{ Target target }
	Replacements []struct {
		Targets []struct{ Select target }
	}
}

// target selects objects by regular expressions that match whole strings.
type target struct{ Kind, Name string }

// Layer checks a kustomization file for settings that are meant for the nine and
// have no effect on them.
func Layer(name string, file []byte, fresh renderer.Output, input []document.Document) ([]Result, error) {
	var k kustomization
	if err := yaml.Unmarshal(file, &k); err != nil {
		return nil, err
	}
	if len(k.Transformers) == 0 {
		return nil, nil
	}
	results := k.images(name, fresh)
	missed := func(t target, path string) {
		if t.missed(fresh, input) {
			results = append(results, Result{Verdict: NoEffect, Object: name, Path: path})
		}
	}
	for i, p := range k.Patches {
		missed(p.Target, "patches["+strconv.Itoa(i)+"].target")
	}
	for i, r := range k.Replacements {
		for j, t := range r.Targets {
			missed(t.Select, "replacements["+strconv.Itoa(i)+"].targets["+strconv.Itoa(j)+"].select")
		}
	}
	return results, nil
}

// missed reports whether a target selects some of the nine and nothing that was
// there when it was applied.
func (t target) missed(fresh renderer.Output, input []document.Document) bool {
	if t.Kind == "" && t.Name == "" {
		return false
	}
	for _, d := range input {
		if t.selects(d.Object()) {
			return false
		}
	}
	for _, o := range fresh.Objects() {
		if t.selects(o.Object) {
			return true
		}
	}
	return false
}

func (t target) selects(o rules.Object) bool { return whole(t.Kind, o.Kind) && whole(t.Name, o.Name) }

func whole(pattern, s string) bool {
	if pattern == "" {
		return true
	}
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	return err == nil && re.MatchString(s)
}

func (k kustomization) images(name string, fresh renderer.Output) []Result {
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
	return results
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
