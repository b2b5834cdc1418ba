package compare

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// kustomization is the part of a kustomization file that looks as if it should
// reach the nine, and may not. With the function as a transformer of the same
// file kustomize's own transformers run first and see none of the nine; with the
// function as a generator they see the nine and not what it reads. What names an
// absent object other than by such a target is refused by kustomize itself.
type kustomization struct {
	Generators   []any
	Transformers []any
	Images       []struct {
		Name    string
		NewName string `yaml:"newName"`
		NewTag  string `yaml:"newTag"`
		Digest  string
		Suffix  string `yaml:"tagSuffix"`
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
	nine, given := identities(fresh, input)
	seen, unseen := given, nine
	var results []Result
	switch {
	case len(k.Transformers) > 0:
		results = k.images(name, fresh)
	case len(k.Generators) > 0:
		seen, unseen = nine, given
	default:
		return nil, nil
	}
	missed := func(t target, path string) {
		if t.selects(unseen) && !t.selects(seen) {
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

// identities returns the names of the nine and of the documents of the input.
func identities(fresh renderer.Output, input []document.Document) (nine, given []rules.Object) {
	for _, o := range fresh.Objects() {
		nine = append(nine, o.Object)
	}
	for _, d := range input {
		given = append(given, d.Object())
	}
	return nine, given
}

// selects reports whether the target selects any of the objects. One without
// kind and name goes by labels or annotations, and is not judged.
func (t target) selects(objects []rules.Object) bool {
	return t != target{} && slices.ContainsFunc(objects, func(o rules.Object) bool {
		return whole(t.Kind, o.Kind) && whole(t.Name, o.Name)
	})
}

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
				wanted := override(image, e.NewName, e.NewTag, e.Digest, e.Suffix)
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
func override(image, newName, newTag, digest, suffix string) string {
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
	return name + rest + suffix
}
