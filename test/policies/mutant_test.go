package policies

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// mutant is a build with one thing wrong.
type mutant struct {
	name  string
	build build
}

// generated are the mutants of every field of the objects that of selects: each
// field and each element of a list left out, each value changed.
func generated(t testing.TB, b build, of func(map[string]any) bool) []mutant {
	t.Helper()
	var out []mutant
	for i, o := range b {
		if !of(o) {
			continue
		}
		for _, e := range edits(o, nil) {
			m := b.clone(t)
			e.apply(m[i])
			out = append(out, mutant{id(o) + ": " + e.name, m})
		}
	}
	return out
}

// edit changes a copy of the object that it was made from.
type edit struct {
	name  string
	apply func(object map[string]any)
}

func edits(node any, path []any) []edit {
	var out []edit
	each := func(key, child any) {
		p := append(slices.Clone(path), key)
		out = append(out, edit{"without " + text(p), func(o map[string]any) { change(o, p, nil) }})
		if next := other(child); next != nil {
			out = append(out, edit{"changed " + text(p), func(o map[string]any) { change(o, p, next) }})
		}
		out = append(out, edits(child, p)...)
	}
	switch n := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(n)) {
			each(key, n[key])
		}
	case []any:
		for i := range n {
			each(i, n[i])
		}
	}
	return out
}

// other is another value of the same type; nil for what has parts to change.
func other(v any) any {
	switch v := v.(type) {
	case string:
		return v + "x"
	case bool:
		return !v
	case int:
		return v + 1
	case float64:
		return v + 1
	}
	return nil
}

// change writes the value at a path, or removes what is there for nil.
func change(node any, path []any, value any) any {
	switch n := node.(type) {
	case map[string]any:
		key := path[0].(string)
		if len(path) > 1 {
			n[key] = change(n[key], path[1:], value)
		} else if value == nil {
			delete(n, key)
		} else {
			n[key] = value
		}
		return n
	case []any:
		i := path[0].(int)
		if len(path) > 1 {
			n[i] = change(n[i], path[1:], value)
		} else if value == nil {
			return slices.Delete(n, i, i+1)
		} else {
			n[i] = value
		}
		return n
	}
	panic(fmt.Sprintf("no %v below %T", path, node))
}

// text writes a path as spec.ports[0].name or metadata.labels[a.b/c].
func text(path []any) string {
	var b strings.Builder
	for i, step := range path {
		switch s := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		case string:
			switch {
			case strings.ContainsAny(s, "./"):
				fmt.Fprintf(&b, "[%s]", s)
			case i > 0:
				b.WriteString("." + s)
			default:
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

// at returns an object of the build, which must be there.
func (b build) at(t testing.TB, id_ string) map[string]any {
	t.Helper()
	for _, o := range b {
		if id(o) == id_ {
			return o
		}
	}
	t.Fatalf("no %s in the build", id_)
	return nil
}

// nine tells the objects that carry a gateway's label.
func nine(o map[string]any) bool {
	meta, _ := o["metadata"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)
	return labels["tsunaro.io/gateway"] != nil
}

// cr tells the CRs that change rules look at.
func cr(o map[string]any) bool {
	return o["kind"] == "Tailnet" || o["kind"] == "TailnetGateway"
}
