package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// set writes value at document:path. An object on the way is made where it is
// missing; a list grows by one when the index is its length.
func set(docs []Document, key string, value any) error {
	value, err := generate(value)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return change(docs, key, func(any, bool) (any, bool) { return value, true })
}

// unset removes what is at document:path, which must be there.
func unset(docs []Document, key string) error {
	found := false
	err := change(docs, key, func(_ any, ok bool) (any, bool) { found = ok; return nil, false })
	if err == nil && !found {
		err = fmt.Errorf("%s: nothing to unset", key)
	}
	return err
}

// edit maps the present value of a field, if any, to its next one, if any.
type edit func(old any, ok bool) (any, bool)

func change(docs []Document, key string, e edit) error {
	name, path, _ := strings.Cut(key, ":")
	i := slices.IndexFunc(docs, func(d Document) bool { return d.Name == name })
	if i < 0 {
		return fmt.Errorf("%s: no such document", key)
	}
	steps, err := split(path)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	next, _, err := apply(docs[i].Object, true, steps, e)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	object, ok := next.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: a document is an object", key)
	}
	docs[i].Object = object
	return nil
}

// apply returns node with the edit made below it.
func apply(node any, present bool, steps []string, e edit) (any, bool, error) {
	if len(steps) == 0 {
		next, ok := e(node, present)
		return next, ok, nil
	}
	step := steps[0]
	if list, ok := node.([]any); ok {
		next, err := applyList(list, step, steps[1:], e)
		return next, true, err
	}
	object, ok := node.(map[string]any)
	if !ok && node != nil {
		return nil, false, fmt.Errorf("%s: not below an object", step)
	}
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	child, found := object[step]
	next, keep, err := apply(child, found, steps[1:], e)
	if keep {
		object[step] = next
	} else {
		delete(object, step)
	}
	return object, true, err
}

func applyList(list []any, step string, rest []string, e edit) ([]any, error) {
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i > len(list) {
		return nil, fmt.Errorf("[%s]: no such entry", step)
	}
	list = slices.Clone(list)
	var child any
	if i < len(list) {
		child = list[i]
	} else {
		list = append(list, nil)
	}
	next, keep, err := apply(child, child != nil, rest, e)
	if !keep {
		return slices.Delete(list, i, i+1), err
	}
	list[i] = next
	return list, err
}

// split cuts a path such as spec.routes.lan[0] or metadata.labels[a.b/c] into
// its steps.
func split(path string) ([]string, error) {
	var steps []string
	for path != "" {
		if inner, ok := strings.CutPrefix(path, "["); ok {
			step, rest, ok := strings.Cut(inner, "]")
			if !ok {
				return nil, fmt.Errorf("%s: no closing bracket", path)
			}
			steps, path = append(steps, step), rest
			continue
		}
		path = strings.TrimPrefix(path, ".")
		n := strings.IndexAny(path, ".[")
		if n < 0 {
			n = len(path)
		}
		if n == 0 {
			return nil, fmt.Errorf("%s: empty step", path)
		}
		steps, path = append(steps, path[:n]), path[n:]
	}
	return steps, nil
}

// generate replaces {$list: ...}, {$map: ...} and {$lines: ...}, at any depth,
// by the list, the object or the text that they describe.
func generate(value any) (any, error) {
	switch v := value.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			next, err := generate(v[i])
			if err != nil {
				return nil, err
			}
			out[i] = next
		}
		return out, nil
	case map[string]any:
		if g, ok := v["$list"]; ok {
			return repeat(g, "item")
		}
		if g, ok := v["$map"]; ok {
			return object(g)
		}
		if g, ok := v["$lines"]; ok {
			return lines(g)
		}
		out := make(map[string]any, len(v))
		for key := range v {
			next, err := generate(v[key])
			if err != nil {
				return nil, err
			}
			out[key] = next
		}
		return out, nil
	default:
		return value, nil
	}
}

func object(g any) (any, error) {
	keys, err := repeat(g, "key")
	if err != nil {
		return nil, err
	}
	values, err := repeat(g, "value")
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(keys))
	for i, key := range keys {
		out[fmt.Sprint(key)] = values[i]
	}
	return out, nil
}

func lines(g any) (any, error) {
	list, err := repeat(g, "line")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, line := range list {
		fmt.Fprintln(&b, line)
	}
	return b.String(), nil
}

// repeat makes n entries of the template under the given key, with %d replaced
// by a number that counts up from from.
func repeat(g any, key string) ([]any, error) {
	spec, _ := g.(map[string]any)
	n, ok := spec["n"].(int)
	from, _ := spec["from"].(int)
	item, found := spec[key]
	if !ok || !found {
		return nil, fmt.Errorf("a generated value needs n and %s", key)
	}
	out := make([]any, n)
	for i := range out {
		out[i] = number(item, strconv.Itoa(from+i))
	}
	return out, nil
}

func number(value any, n string) any {
	switch v := value.(type) {
	case string:
		return strings.ReplaceAll(v, "%d", n)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = number(v[i], n)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			out[number(key, n).(string)] = number(v[key], n)
		}
		return out
	default:
		return value
	}
}
