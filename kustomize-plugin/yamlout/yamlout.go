// Package yamlout writes rendered objects as the YAML that people keep in files:
// block style, multi-line text as text. The order of the keys is the renderer's.
package yamlout

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/objects"
)

// Node returns an object as a YAML mapping in block style.
func Node(o objects.Object) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(o.JSON, &doc); err != nil {
		return nil, err
	}
	block(doc.Content[0])
	return doc.Content[0], nil
}

// block clears the quotes and braces that JSON needs; the encoder puts quotes
// back where YAML needs them.
func block(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "\n") {
		n.Style = yaml.LiteralStyle
	}
	for _, c := range n.Content {
		block(c)
	}
}

// Stream returns the objects as a stream of YAML documents.
func Stream(list []objects.Object) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	for _, o := range list {
		n, err := Node(o)
		if err != nil {
			return nil, err
		}
		if err := enc.Encode(n); err != nil {
			return nil, err
		}
	}
	err := enc.Close()
	return b.Bytes(), err
}
