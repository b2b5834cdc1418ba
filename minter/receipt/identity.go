package receipt

import (
	"encoding/json"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Identity holds a hexadecimal SHA-256 for each field of class Identity that has
// a value, by the field's path in the table of classes (UP-01). Hashes of single
// fields let a status name the one that was changed.
type Identity map[string]string

// GatewayIdentity returns the identity of a gateway, defaults filled in.
func GatewayIdentity(g *v1alpha1.TailnetGateway) Identity {
	return identity(defaultedGateway(g).Spec, api.GatewayFields)
}

// TailnetIdentity returns the identity of a Tailnet, defaults filled in.
func TailnetIdentity(t *v1alpha1.Tailnet) Identity {
	return identity(defaultedTailnet(t).Spec, api.TailnetFields)
}

// Changed returns the path of the first field, in the order of the table, in
// which now is another identity; ok is false if it is the same.
func (i Identity) Changed(now Identity) (path string, ok bool) {
	for _, fields := range [][]api.Field{api.GatewayFields, api.TailnetFields} {
		for _, f := range fields {
			if i[f.Path] != now[f.Path] {
				return f.Path, true
			}
		}
	}
	return "", false
}

// valid reports whether there is an identity and every path is one of it.
func (i Identity) valid(fields []api.Field) bool {
	for path, h := range i {
		if !slices.Contains(fields, api.Field{Path: path, Class: api.Identity}) || !isHash(h) {
			return false
		}
	}
	return len(i) > 0
}

func identity(spec any, fields []api.Field) Identity {
	var tree any
	if err := json.Unmarshal(encode(spec), &tree); err != nil {
		panic(err) // it has just been encoded: cannot happen
	}
	i := Identity{}
	for _, f := range fields {
		if f.Class != api.Identity {
			continue
		}
		steps := strings.Split(strings.TrimPrefix(f.Path, "spec."), ".")
		if v := at(tree, steps); v != nil {
			i[f.Path] = hash(v)
		}
	}
	return i
}

// at returns the value at a path, nil for none: at a step name[] the list of what
// the elements have at the rest of the path, nil for an empty one.
func at(tree any, steps []string) any {
	if len(steps) == 0 {
		return tree
	}
	name, list := strings.CutSuffix(steps[0], "[]")
	object, _ := tree.(map[string]any)
	if !list {
		return at(object[name], steps[1:])
	}
	var values []any
	elements, _ := object[name].([]any)
	for _, e := range elements {
		values = append(values, at(e, steps[1:]))
	}
	if values == nil {
		return nil
	}
	return values
}
