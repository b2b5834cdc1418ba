package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Object names a document of the input: Kind/name or Kind/namespace/name.
type Object struct {
	Kind, Namespace, Name string
}

// String returns Kind/name, or Kind/namespace/name for a namespaced object.
func (o Object) String() string {
	switch {
	case o.Kind == "":
		return "input"
	case o.Namespace == "":
		return o.Kind + "/" + o.Name
	default:
		return o.Kind + "/" + o.Namespace + "/" + o.Name
	}
}

// Finding is one rule broken at one place. It holds public values only: object
// and field names, and where known a canonical spelling to write instead.
type Finding struct {
	Rule   ID
	Object Object
	Path   string // field path such as spec.routes.lan[0]; may be empty
	Source string // file and line such as gateway.yaml:12; may be empty
	Other  Object // the other object of a conflict; may be zero
	Hint   string // a canonical spelling to write instead; may be empty
}

// Text returns the rule's fixed text, with the other object or the hint.
func (f Finding) Text() string {
	t := Lookup(f.Rule).Text
	if f.Other != (Object{}) {
		t += " (" + f.Other.String() + ")"
	}
	if f.Hint != "" {
		t += "; write " + f.Hint
	}
	return t
}

// String returns "Kind/name: path: text [rule] (source)" on one line: control
// characters, which only a wrong name or key holds, are shown as "?", so that no
// input writes lines or colours of its own into a log.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Object.String())
	if f.Path != "" {
		b.WriteString(": " + f.Path)
	}
	fmt.Fprintf(&b, ": %s [%s]", f.Text(), f.Rule)
	if f.Source != "" {
		fmt.Fprintf(&b, " (%s)", f.Source)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return '?'
		}
		return r
	}, b.String())
}

// Refusal is the error of an input that may not be rendered: every finding that
// is not a warning, sorted, at least one.
type Refusal []Finding

// Error lists the findings, one a line.
func (r Refusal) Error() string {
	lines := make([]string, len(r))
	for i, f := range r {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Sort orders findings by object, path, rule and source, and drops repetitions,
// so that the order of the documents does not show in what is reported.
func Sort(fs []Finding) []Finding {
	slices.SortFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Object.String(), b.Object.String()),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Other.String(), b.Other.String()),
			cmp.Compare(a.Source, b.Source),
		)
	})
	return slices.Compact(fs)
}
