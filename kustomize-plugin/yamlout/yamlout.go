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

// block clears the braces that JSON needs, and the quotes where every YAML reader
// sees a string without them.
func block(n *yaml.Node) {
	switch {
	case n.Kind != yaml.ScalarNode, plain(n.Value):
		n.Style = 0
	case strings.Contains(n.Value, "\n"):
		n.Style = yaml.LiteralStyle
	}
	for _, c := range n.Content {
		block(c)
	}
}

// plain errs on the side of quotes: readers of YAML 1.1, kubectl among them,
// take more words for booleans and more digits for numbers than YAML 1.2 does
// (B01).
func plain(s string) bool {
	if s == "" || s[0] != '/' && (s[0]|0x20 < 'a' || s[0]|0x20 > 'z') {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return !strings.Contains(s, "\n")
}

// Stream returns the objects as a stream of YAML documents.
func Stream(list []objects.Object) ([]byte, error) {
	var b bytes.Buffer
	if len(list) == 0 {
		return nil, nil // the encoder cannot close a stream without documents
	}
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
