package view

import (
	"strconv"
	"strings"
)

// at is what stands at a path as package verify writes them, such as
// spec.template.spec.containers[tailscale].image; nil where nothing does.
func at(value any, path string) any {
	for path != "" && value != nil {
		var step string
		step, path = cutStep(path)
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			value = element(v, step)
		default:
			return nil
		}
	}
	return value
}

// cutStep cuts the first step off a path: a key, or what stands in brackets.
func cutStep(path string) (step, rest string) {
	if bracketed, ok := strings.CutPrefix(path, "["); ok {
		step, rest, _ = strings.Cut(bracketed, "]")
	} else if end := strings.IndexAny(path, ".["); end >= 0 {
		step, rest = path[:end], path[end:]
	} else {
		step = path
	}
	return step, strings.TrimPrefix(rest, ".")
}

// element is the item of that name, else the one at that index.
func element(list []any, step string) any {
	for _, item := range list {
		if named, _ := item.(map[string]any); named["name"] == step {
			return item
		}
	}
	if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(list) {
		return list[i]
	}
	return nil
}
