package document

import (
	"errors"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/rules"
)

const (
	nullTag  = "!!null"
	strTag   = "!!str"
	boolTag  = "!!bool"
	intTag   = "!!int"
	mergeTag = "!!merge"
)

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// Value is a field of a document that may be missing. Its methods report what
// is wrong with it, once, and tell by their second result whether it is usable.
type Value struct {
	ctx  *context
	node *yaml.Node // nil: missing
	path string
}

type context struct {
	object   rules.Object
	source   string
	findings *[]rules.Finding
}

// Object is a mapping. Get marks a field as known; Close reports the others.
type Object struct {
	Value
	keys  []*yaml.Node // key, value, key, value …
	known []bool       // by entry
}

// Root returns the fields of a document; what is found wrong goes to findings.
func Root(d Document, findings *[]rules.Finding) Object {
	ctx := &context{object: d.Object(), source: d.Source, findings: findings}
	o, ok := Value{ctx: ctx, node: d.node}.Object()
	if !ok {
		return Object{Value: Value{ctx: ctx}}
	}
	return o
}

// Exists reports whether the field was written at all.
func (v Value) Exists() bool { return v.node != nil }

// Null reports whether the field was written as null.
func (v Value) Null() bool { return v.node != nil && v.node.Tag == nullTag }

// Path returns the field's path, such as spec.routes.lan[0].
func (v Value) Path() string { return v.path }

// Report adds a finding about this field. A hint is a canonical spelling to
// write instead, or empty.
func (v Value) Report(id rules.ID, hint string) {
	*v.ctx.findings = append(*v.ctx.findings, rules.Finding{
		Rule: id, Object: v.ctx.object, Path: v.path, Source: at(v.ctx.source, v.node), Hint: hint,
	})
}

// Str returns a string. A number, boolean or null is refused: YAML may have
// changed it already, 0777 into 511 for one (B01).
func (v Value) Str() (string, bool) {
	if !v.scalar(strTag, rules.StringType) {
		return "", false
	}
	return v.node.Value, true
}

// Bool returns a boolean. A tag alone makes none: to YAML 1.1 !!bool yes is true.
func (v Value) Bool() (value, ok bool) {
	if !v.scalar(boolTag, rules.BooleanType) {
		return false, false
	}
	switch v.node.Value {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	v.Report(rules.BooleanType, "")
	return false, false
}

// Int returns a whole number in plain decimal: 010 is 8 to an API server's reader.
func (v Value) Int() (int64, bool) {
	if !v.scalar(intTag, rules.IntegerType) {
		return 0, false
	}
	n, err := strconv.ParseInt(v.node.Value, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != v.node.Value {
		v.Report(rules.IntegerType, "")
		return 0, false
	}
	return n, true
}

// StrOrInt returns a string, or a whole number in plain decimal.
func (v Value) StrOrInt() (string, bool) {
	if v.node != nil && v.node.Kind == yaml.ScalarNode && v.node.Tag == intTag {
		n, ok := v.Int()
		return strconv.FormatInt(n, 10), ok
	}
	return v.Str()
}

func (v Value) scalar(tag string, id rules.ID) bool {
	switch {
	case v.node == nil:
		v.Report(rules.Required, "")
		return false
	case v.node.Kind != yaml.ScalarNode || v.node.Tag != tag:
		v.Report(id, "")
		return false
	}
	return true
}

// List returns the elements of a list.
func (v Value) List() ([]Value, bool) {
	switch {
	case v.node == nil:
		v.Report(rules.Required, "")
		return nil, false
	case v.node.Kind != yaml.SequenceNode:
		v.Report(rules.ListType, "")
		return nil, false
	}
	list := make([]Value, len(v.node.Content))
	for i, n := range v.node.Content {
		list[i] = Value{v.ctx, n, v.path + "[" + strconv.Itoa(i) + "]"}
	}
	return list, true
}

// Object returns the fields of a mapping. A key written twice is refused, since
// readers differ in which one they take.
func (v Value) Object() (Object, bool) {
	switch {
	case v.node == nil:
		v.Report(rules.Required, "")
		return Object{Value: v}, false
	case v.node.Kind != yaml.MappingNode:
		v.Report(rules.ObjectType, "")
		return Object{Value: v}, false
	}
	o := Object{Value: v, keys: v.node.Content, known: make([]bool, len(v.node.Content)/2)}
	seen := make(map[string]bool, len(o.known))
	for i := 0; i < len(o.keys); i += 2 {
		k := o.keys[i]
		if seen[k.Value] {
			o.field(k.Value, o.keys[i+1]).Report(rules.DuplicateKey, "")
			o.known[i/2] = true // no second finding about it
		}
		if k.Kind != yaml.ScalarNode {
			v.Report(rules.StringType, "")
		}
		seen[k.Value] = true
	}
	return o, true
}

// Get returns the field key, which may be missing.
func (o Object) Get(key string) Value {
	for i := 0; i+1 < len(o.keys); i += 2 {
		if o.keys[i].Value == key {
			o.known[i/2] = true
			return o.field(key, o.keys[i+1])
		}
	}
	return o.field(key, nil)
}

// Fields returns every entry of a mapping whose keys are data, in the order in
// which they were written.
func (o Object) Fields() []Field {
	fields := make([]Field, 0, len(o.keys)/2)
	for i := 0; i+1 < len(o.keys); i += 2 {
		k := o.keys[i]
		o.known[i/2] = true
		v := Value{o.ctx, o.keys[i+1], o.path + "[" + k.Value + "]"}
		fields = append(fields, Field{Key: k.Value, Bare: k.Tag != strTag, Value: v})
	}
	return fields
}

// Field is an entry of a mapping whose keys are data. Bare tells that the key
// is a number, boolean or null rather than a string.
type Field struct {
	Key  string
	Bare bool
	Value
}

// Close reports every field that was not asked for.
func (o Object) Close() {
	for i := 0; i+1 < len(o.keys); i += 2 {
		if !o.known[i/2] {
			o.field(o.keys[i].Value, o.keys[i+1]).Report(rules.UnknownField, "")
		}
	}
}

func (o Object) field(key string, n *yaml.Node) Value {
	path := key
	if o.path != "" {
		path = o.path + "." + key
	}
	return Value{o.ctx, n, path}
}
