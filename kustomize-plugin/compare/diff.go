package compare

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// change is one place where two trees differ.
type change struct {
	path       []string
	want, have any // nil: not there
}

// diff lists what turned want into have, in the order of the paths. Elements of
// lists are compared by position: order matters in every list of the nine. Of an
// object that was added every field is listed.
func diff(path []string, want, have any) []change {
	switch w := want.(type) {
	case nil:
		if h, ok := have.(map[string]any); ok && len(h) > 0 {
			return diffMaps(path, nil, h)
		}
	case map[string]any:
		if h, ok := have.(map[string]any); ok {
			return diffMaps(path, w, h)
		}
	case []any:
		if h, ok := have.([]any); ok {
			return diffLists(path, w, h)
		}
	}
	if reflect.DeepEqual(want, have) {
		return nil
	}
	return []change{{slices.Clone(path), want, have}}
}

func diffMaps(path []string, want, have map[string]any) []change {
	keys := make([]string, 0, len(want))
	for k := range want {
		keys = append(keys, k)
	}
	for k := range have {
		if _, both := want[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var out []change
	for _, k := range keys {
		out = append(out, diff(append(path, k), want[k], have[k])...)
	}
	return out
}

func diffLists(path []string, want, have []any) []change {
	var out []change
	for i := range max(len(want), len(have)) {
		var w, h any
		if i < len(want) {
			w = want[i]
		}
		if i < len(have) {
			h = have[i]
		}
		out = append(out, diff(append(path, "["+strconv.Itoa(i)+"]"), w, h)...)
	}
	return out
}

// otherText stands for text that is long, has several lines or may be a secret.
const otherText = "other text"

// show returns a value as a reader can take it in: scalars as they are, the rest
// by its kind.
func show(v any) string {
	switch t := v.(type) {
	case nil:
		return ""
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		if len(t) > 60 || strconv.Quote(t) != `"`+t+`"` {
			return otherText
		}
		return strconv.Quote(t)
	default:
		return fmt.Sprint(t)
	}
}
