package document

import (
	"bytes"
	"errors"
	"strconv"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/rules"
)

// Document is one object of the input as it was written.
type Document struct {
	APIVersion, Kind, Namespace, Name string

	Source string // file name; empty for standard input
	node   *yaml.Node
}

// Object returns the document's identity for findings.
func (d Document) Object() rules.Object {
	return rules.Object{Kind: d.Kind, Namespace: d.Namespace, Name: d.Name}
}

// Node returns the document's mapping, for writing it out again unchanged.
func (d Document) Node() *yaml.Node { return d.node }

// Parse reads a stream of YAML documents (JSON is YAML); source names it in
// findings. Empty documents are dropped, v1 Lists are expanded, and a byte order
// mark and CRLF mean what they mean to YAML (B07).
func Parse(source string, data []byte) ([]Document, []rules.Finding) {
	var (
		docs     []Document
		findings []rules.Finding
	)
	roots, err := decode(data)
	if err != nil {
		return nil, []rules.Finding{{Rule: rules.Syntax, Source: source}}
	}
	for _, root := range roots {
		d, f := New(source, root)
		if findings = append(findings, f...); len(f) == 0 {
			docs = d.expand(docs, &findings)
		}
	}
	return docs, findings
}

// expand appends the document, or if it is a v1 List what that holds; a List may
// hold others, as it may for kubectl.
func (d Document) expand(docs []Document, findings *[]rules.Finding) []Document {
	if d.APIVersion != "v1" || d.Kind != "List" {
		return append(docs, d)
	}
	items, f := d.Items()
	*findings = append(*findings, f...)
	for _, item := range items {
		docs = item.expand(docs, findings)
	}
	return docs
}

// New wraps one mapping node and reads its identity. A node that has no
// apiVersion, kind or metadata.name is a finding.
func New(source string, node *yaml.Node) (Document, []rules.Finding) {
	var findings []rules.Finding
	d := Document{Source: source, node: node}
	if node.Kind != yaml.MappingNode {
		return d, []rules.Finding{{Rule: rules.NotAnObject, Source: at(source, node)}}
	}
	top := Root(d, &findings)
	d.APIVersion, _ = top.Get("apiVersion").Str()
	d.Kind, _ = top.Get("kind").Str()
	if meta := top.Get("metadata"); meta.Exists() {
		if m, ok := meta.Object(); ok {
			d.Name, _ = m.Get("name").Str()
			if ns := m.Get("namespace"); ns.Exists() && !ns.Null() {
				d.Namespace, _ = ns.Str()
			}
		}
	}
	if len(findings) == 0 && (d.APIVersion == "" || d.Kind == "" || d.Name == "" && d.Kind != "List") {
		findings = append(findings, rules.Finding{Rule: rules.NotAnObject})
	}
	for i := range findings { // the identity was not known before
		findings[i].Object, findings[i].Source = d.Object(), at(source, node)
	}
	return d, findings
}

// Items returns the objects in the list field items of a v1 List or a
// ResourceList.
func (d Document) Items() ([]Document, []rules.Finding) {
	var (
		docs     []Document
		findings []rules.Finding
	)
	items := Root(d, &findings).Get("items")
	if !items.Exists() || items.Null() {
		return nil, findings
	}
	list, _ := items.List()
	for _, item := range list {
		doc, f := New(d.Source, item.node)
		docs, findings = append(docs, doc), append(findings, f...)
	}
	return docs, findings
}

// decode returns the root node of every document in data that is not empty.
func decode(data []byte) ([]*yaml.Node, error) {
	var roots []*yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if isEOF(err) {
			return roots, nil
		}
		if err != nil {
			return nil, err
		}
		root := doc.Content[0]
		if hasAlias(root) {
			left := len(data) + maxCopies
			if root, err = copied(root, &left); err != nil {
				return nil, err
			}
		}
		if root.Kind == yaml.ScalarNode && root.Tag == nullTag {
			continue
		}
		roots = append(roots, root)
	}
}

// hasAlias reports whether anything in n is an alias.
func hasAlias(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		return true
	}
	for _, c := range n.Content {
		if hasAlias(c) {
			return true
		}
	}
	return false
}

// maxCopies is how many nodes aliases may add to a document beyond one for each
// byte of the input. It also ends an anchor that holds itself.
const maxCopies = 100_000

var errAliases = errors.New("aliases that stand for too much, or for nothing that can be merged")

// copied returns a copy of n with what they stand for in place of aliases, every
// scalar as it was written: a decoder would make 511 of 0777 and a time of a date.
// The merge key << takes over the entries that a mapping does not have itself.
func copied(n *yaml.Node, left *int) (*yaml.Node, error) {
	if *left--; *left < 0 {
		return nil, errAliases
	}
	if n.Kind == yaml.AliasNode {
		return copied(n.Alias, left)
	}
	out := *n
	out.Anchor, out.Content = "", make([]*yaml.Node, 0, len(n.Content))
	var merged []*yaml.Node
	for i, c := range n.Content {
		child, err := copied(c, left)
		if err != nil {
			return nil, err
		}
		if n.Kind == yaml.MappingNode && n.Content[i&^1].Tag == mergeTag {
			merged = append(merged, child)
			continue
		}
		out.Content = append(out.Content, child)
	}
	for i := 1; i < len(merged); i += 2 {
		if err := merge(&out, merged[i]); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// merge adds to a mapping the entries of another, or of a list of others, whose
// keys it does not have yet.
func merge(to, from *yaml.Node) error {
	switch from.Kind {
	case yaml.SequenceNode:
		for _, c := range from.Content {
			if c.Kind != yaml.MappingNode {
				return errAliases
			}
			if err := merge(to, c); err != nil {
				return err
			}
		}
		return nil
	case yaml.MappingNode:
	default:
		return errAliases
	}
	has := make(map[string]bool, len(to.Content)/2)
	for i := 0; i < len(to.Content); i += 2 {
		has[to.Content[i].Value] = true
	}
	for i := 0; i+1 < len(from.Content); i += 2 {
		if !has[from.Content[i].Value] {
			to.Content = append(to.Content, from.Content[i], from.Content[i+1])
		}
	}
	return nil
}

func at(source string, n *yaml.Node) string {
	if source == "" || n == nil || n.Line == 0 {
		return source
	}
	return source + ":" + strconv.Itoa(n.Line)
}

// One reads a single object that needs no name, such as a ResourceList. What is
// wrong with it is not told apart.
func One(data []byte) (Document, error) {
	roots, err := decode(data)
	if err != nil {
		return Document{}, err
	}
	if len(roots) != 1 || roots[0].Kind != yaml.MappingNode {
		return Document{}, errNotOne
	}
	d := Document{node: roots[0]}
	var findings []rules.Finding
	root := Root(d, &findings)
	d.APIVersion, _ = root.Get("apiVersion").Str()
	d.Kind, _ = root.Get("kind").Str()
	if len(findings) > 0 {
		return Document{}, errNotOne
	}
	return d, nil
}

var errNotOne = errors.New("not one object")

// Child returns the object in a field; ok is false if the field is missing.
func (d Document) Child(field string) (child Document, findings []rules.Finding, ok bool) {
	v := Root(d, &findings).Get(field)
	if !v.Exists() || v.Null() {
		return Document{}, nil, false
	}
	child, findings = New(d.Source, v.node)
	return child, findings, true
}

// FromFile reports whether the object carries the path of the file that it came
// from and will be written back to, as kpt's do.
func (d Document) FromFile() bool {
	return d.metadata("annotations", "internal.config.kubernetes.io/path").Exists() ||
		d.metadata("annotations", "config.kubernetes.io/path").Exists()
}

// Tree returns the object as maps, lists and scalars.
func (d Document) Tree() (any, error) {
	var v any
	err := d.node.Decode(&v)
	return v, err
}

// Label returns a label of the object, or "".
func (d Document) Label(key string) string {
	s, _ := d.Metadata("labels", key)
	return s
}

// Metadata reads one label or annotation of an object that may be anybody's:
// whatever is not a string there counts as missing.
func (d Document) Metadata(field, key string) (string, bool) {
	v := d.metadata(field, key)
	if !v.Exists() {
		return "", false
	}
	return v.Str()
}

// metadata returns an entry of a map in the metadata, which may be missing. What
// is wrong on the way to it is not reported.
func (d Document) metadata(field, key string) Value {
	var ignored []rules.Finding
	meta, ok := Root(d, &ignored).Get("metadata").Object()
	if !ok {
		return Value{}
	}
	entries, ok := meta.Get(field).Object()
	if !ok {
		return Value{}
	}
	return entries.Get(key)
}
