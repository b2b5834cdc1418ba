package kustomize

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/api"
)

// Objects are the documents of a stream by Kind/name or Kind/namespace/name.
type Objects map[string]any

// Parse reads a stream of YAML documents; each must be there once.
func Parse(t testing.TB, stream string) Objects {
	t.Helper()
	objects := Objects{}
	for dec := yaml.NewDecoder(strings.NewReader(stream)); ; {
		var object any
		if err := dec.Decode(&object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatal(err)
		}
		objects.add(t, object)
	}
}

// List reads the items of a ResourceList.
func List(t testing.TB, list string) Objects {
	t.Helper()
	var l struct{ Items []any }
	if err := yaml.Unmarshal([]byte(list), &l); err != nil {
		t.Fatal(err)
	}
	objects := Objects{}
	for _, item := range l.Items {
		objects.add(t, item)
	}
	return objects
}

func (o Objects) add(t testing.TB, object any) {
	t.Helper()
	var id []string
	for _, path := range []string{"kind", "metadata.namespace", "metadata.name"} {
		if s, ok := At(object, path); ok {
			id = append(id, s.(string))
		}
	}
	name := strings.Join(id, "/")
	if _, twice := o[name]; twice {
		t.Fatalf("%s is there twice", name)
	}
	o[name] = object
}

// Names lists the objects in order.
func (o Objects) Names() []string { return slices.Sorted(maps.Keys(o)) }

// Rendered returns the objects that carry a gateway's label: what the function
// made, and nothing that passed through it.
func (o Objects) Rendered() Objects {
	rendered := maps.Clone(o)
	maps.DeleteFunc(rendered, func(_ string, object any) bool {
		_, ok := At(object, "metadata.labels["+api.LabelGateway+"]")
		return !ok
	})
	return rendered
}

// At returns the field at a path such as spec.ports[0].name or
// metadata.labels[a.b/c].
func At(object any, path string) (any, bool) {
	for path != "" {
		var step string
		if inner, ok := strings.CutPrefix(path, "["); ok {
			step, path, _ = strings.Cut(inner, "]")
		} else {
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], path[end:]
		}
		path = strings.TrimPrefix(path, ".")
		switch o := object.(type) {
		case map[string]any:
			value, ok := o[step]
			if !ok {
				return nil, false
			}
			object = value
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(o) {
				return nil, false
			}
			object = o[i]
		default:
			return nil, false
		}
	}
	return object, true
}

// Container returns the container or init container of a StatefulSet.
func Container(t testing.TB, statefulSet any, name string) any {
	t.Helper()
	for _, list := range []string{"initContainers", "containers"} {
		containers, _ := At(statefulSet, "spec.template.spec."+list)
		for _, c := range containers.([]any) {
			if n, _ := At(c, "name"); n == name {
				return c
			}
		}
	}
	t.Fatalf("no container %s", name)
	return nil
}
