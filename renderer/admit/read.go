package admit

import (
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// given reports whether a field that has a default, or may be left out, was
// written. Null means left out, as it does to an API server.
func given(v document.Value) bool { return v.Exists() && !v.Null() }

// text reads a string of at most limit characters that ok accepts, or reports
// rule id. It returns "" for what it refused.
func text(v document.Value, limit int, id rules.ID, ok func(string) bool) string {
	s, isString := v.Str()
	switch {
	case !isString:
		return ""
	case limit > 0 && len(s) > limit:
		v.Report(rules.TooLong, "")
		return ""
	case !ok(s):
		v.Report(id, "")
		return ""
	}
	return s
}

// textOr is text for a field with a default.
func textOr(v document.Value, def string, limit int, id rules.ID, ok func(string) bool) string {
	if !given(v) {
		return def
	}
	return text(v, limit, id, ok)
}

func boolOr(v document.Value, def bool) bool {
	if !given(v) {
		return def
	}
	b, _ := v.Bool()
	return b
}

// list reads a list of at least least and at most most elements; a list that may
// be empty may also be left out.
func list(v document.Value, least, most int) []document.Value {
	if least == 0 && !given(v) {
		return nil
	}
	vs, ok := v.List()
	switch {
	case !ok:
	case len(vs) < least:
		v.Report(rules.Required, "")
	case len(vs) > most:
		v.Report(rules.TooMany, "")
		return nil
	}
	return vs
}

// object reads an object that may be left out; absent means an empty one.
func object(v document.Value) (document.Object, bool) {
	if !given(v) {
		return document.Object{Value: v}, false
	}
	return v.Object()
}

// oneOf returns a check for a closed set of values.
func oneOf(values ...string) func(string) bool {
	return func(s string) bool {
		for _, v := range values {
			if s == v {
				return true
			}
		}
		return false
	}
}

// unique reports the second of two equal values; it returns false for it.
type unique[T comparable] map[T]bool

func (u unique[T]) add(v T, at document.Value, id rules.ID) bool {
	if u[v] {
		at.Report(id, "")
		return false
	}
	u[v] = true
	return true
}
