package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/api"
)

// unbound marks a value that stands for a UID which only a cluster can give.
const unbound = "<unbound>"

// document is one Kubernetes object of the build.
type document struct {
	Kind     string
	Metadata struct {
		Name, Namespace string
		Labels          map[string]string
	}
	places []place
}

// place is where a UID will go.
type place struct{ placeholder, path string }

func (d document) rendered() bool { return d.Metadata.Labels[api.LabelGateway] != "" }

// parse reads a stream of YAML documents.
func parse(stream []byte) ([]document, error) {
	var documents []document
	for dec := yaml.NewDecoder(bytes.NewReader(stream)); ; {
		var node yaml.Node
		if err := dec.Decode(&node); errors.Is(err, io.EOF) {
			return documents, nil
		} else if err != nil {
			return nil, err
		}
		var d document
		var tree any
		if err := errors.Join(node.Decode(&d), node.Decode(&tree)); err != nil {
			return nil, err
		}
		d.places = places(tree, "")
		documents = append(documents, d)
	}
}

// places walks maps in the order of their keys and lists in their own.
func places(v any, path string) []place {
	var found []place
	switch v := v.(type) {
	case string:
		if strings.Contains(v, unbound) {
			return []place{{v, path}}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			step := "." + key
			if strings.ContainsAny(key, "./") {
				step = "[" + key + "]"
			}
			found = append(found, places(v[key], strings.TrimPrefix(path+step, "."))...)
		}
	case []any:
		for i, item := range v {
			found = append(found, places(item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return found
}

// show prints the rendered objects, then every place that waits for a UID.
func show(out io.Writer, documents []document) error {
	rendered := slices.DeleteFunc(slices.Clone(documents), func(d document) bool { return !d.rendered() })
	if len(rendered) == 0 {
		return errors.New("the build holds no rendered object: the function did not run, or every gateway is suspended")
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "KIND\tNAME\tNAMESPACE")
	for _, d := range rendered {
		fmt.Fprintf(w, "%s\t%s\t%s\n", d.Kind, d.Metadata.Name, d.Metadata.Namespace)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "Rendered: %d. Your own documents, passed through: %d.\n", len(rendered), len(documents)-len(rendered))
	return showPlaces(out, rendered)
}

func showPlaces(out io.Writer, rendered []document) error {
	kinds := map[place][]string{}
	for _, d := range rendered {
		for _, p := range d.places {
			kinds[p] = append(kinds[p], d.Kind)
		}
	}
	if len(kinds) == 0 {
		_, err := fmt.Fprintln(out, "\nEvery UID is in place: the build holds the bindings registry.")
		return err
	}
	fmt.Fprint(out, "\nWhere the UIDs will go. Until a binder puts them there, every API server refuses these objects.\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "PLACEHOLDER\tPATH\tIN")
	var last string
	order := func(a, b place) int {
		return cmp.Or(cmp.Compare(a.placeholder, b.placeholder), cmp.Compare(len(kinds[b]), len(kinds[a])), cmp.Compare(a.path, b.path))
	}
	for _, p := range slices.SortedFunc(maps.Keys(kinds), order) {
		uid := p.placeholder
		if uid == last {
			uid = ""
		}
		last = p.placeholder
		in := strings.Join(counted(kinds[p]), ", ")
		if len(kinds[p]) == len(rendered) {
			in = fmt.Sprintf("all %d", len(rendered))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", uid, p.path, in)
	}
	return w.Flush()
}

// counted turns neighbours of one kind into one item: Service, Service is
// "2 × Service".
func counted(kinds []string) []string {
	var items []string
	for len(kinds) > 0 {
		n := 1
		for n < len(kinds) && kinds[n] == kinds[0] {
			n++
		}
		item := kinds[0]
		if n > 1 {
			item = fmt.Sprintf("%d × %s", n, item)
		}
		items, kinds = append(items, item), kinds[n:]
	}
	return items
}
