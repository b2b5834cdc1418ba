package function

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/kustomize-plugin/yamlout"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// list is a ResourceList as it came in.
type list struct {
	apiVersion string
	items      []document.Document
	self       rules.Object // the function configuration
	config     config
	generator  bool // there is a configuration, and no item but it
	findings   []rules.Finding
}

const listGroup = "config.kubernetes.io/"

func readList(data []byte) (list, error) {
	root, err := document.One(data)
	if err != nil || root.Kind != "ResourceList" || !strings.HasPrefix(root.APIVersion, listGroup) {
		return list{}, ErrNotAResourceList
	}
	l := list{apiVersion: root.APIVersion}
	l.items, l.findings = root.Items()
	for _, d := range l.items {
		if d.APIVersion == "v1" && d.Kind == "List" {
			l.findings = append(l.findings, rules.Finding{Rule: rules.NestedList, Object: d.Object()})
		}
	}
	if d, findings, ok := root.Child("functionConfig"); ok {
		l.self = d.Object()
		if l.findings = append(l.findings, findings...); len(findings) == 0 {
			l.config = readConfig(d, &l.findings)
		}
		l.dropConfig(d)
	}
	return l, nil
}

// dropConfig takes the function configuration out of the items: a generator
// finds it there, and nothing else (B05). One that came from a file stays, since
// kpt deletes the file of an item that does not come back.
func (l *list) dropConfig(config document.Document) {
	l.generator = true
	kept := l.items[:0]
	for _, d := range l.items {
		self := d.APIVersion == config.APIVersion && d.Object() == config.Object()
		if !self || d.FromFile() {
			kept = append(kept, d)
		}
		l.generator = l.generator && self
	}
	l.items = kept
}

// write returns the output ResourceList. Items that pass through are written as
// they came, comments included. The nine are JSON, which is YAML and twenty times
// cheaper to write: kustomize brings them into its own form anyway. Only when the
// items come from files, and so will go back to files, are they written as people
// write YAML.
func (l list) write(out renderer.Output) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("apiVersion: " + l.apiVersion + "\nkind: ResourceList\nitems:")
	if err := l.writeItems(&b, out); err != nil {
		return nil, err
	}
	if results := results(out); len(results) > 0 {
		text, err := json.Marshal(results)
		if err != nil {
			return nil, err
		}
		b.WriteString("results: " + string(text) + "\n")
	}
	return b.Bytes(), nil
}

func (l list) writeItems(b *bytes.Buffer, out renderer.Output) error {
	var kept []*yaml.Node
	fromFiles := false
	for i, d := range l.items {
		fromFiles = fromFiles || d.FromFile()
		if l.config.keep(out.Roles[i]) {
			kept = append(kept, d.Node())
		}
	}
	rendered := out.Objects()
	if fromFiles {
		for _, o := range rendered {
			n, err := yamlout.Node(o)
			if err != nil {
				return err
			}
			kept = append(kept, n)
		}
		rendered = nil
	}
	if len(kept)+len(rendered) == 0 {
		b.WriteString(" []\n")
		return nil
	}
	b.WriteString("\n")
	for _, n := range kept {
		if err := writeNode(b, n); err != nil {
			return err
		}
	}
	size := 0
	for _, o := range rendered {
		size += len("- \n") + len(o.JSON)
	}
	b.Grow(size)
	for _, o := range rendered {
		writeItem(b, o)
	}
	return nil
}

// writeNode writes one item with an encoder of its own: an encoder remembers all
// that it ever wrote, which of a fleet is far more than the text.
func writeNode(b *bytes.Buffer, item *yaml.Node) error {
	enc := yaml.NewEncoder(b)
	enc.SetIndent(2)
	if err := enc.Encode(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{item}}); err != nil {
		return err
	}
	return enc.Close()
}

func writeItem(b *bytes.Buffer, o objects.Object) {
	b.WriteString("- ")
	b.Write(o.JSON)
	b.WriteString("\n")
}

// result is an entry of the results of a ResourceList.
type result struct {
	Message     string            `json:"message"`
	Severity    string            `json:"severity"`
	ResourceRef resourceRef       `json:"resourceRef"`
	Field       *field            `json:"field,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
}

type resourceRef struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

type field struct {
	Path string `json:"path"`
}

func results(out renderer.Output) []result {
	var rs []result
	for _, f := range out.Warnings {
		r := result{f.Text(), "warning", reference(f.Object), nil, map[string]string{"rule": string(f.Rule)}}
		if f.Path != "" {
			r.Field = &field{f.Path}
		}
		rs = append(rs, r)
	}
	for _, o := range out.Suspended() {
		rs = append(rs, result{suspendedText, "info", reference(o), &field{"spec.suspend"}, nil})
	}
	return rs
}

func reference(o rules.Object) resourceRef {
	return resourceRef{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}
