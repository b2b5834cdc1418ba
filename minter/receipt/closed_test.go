package receipt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// sorted is the text as most programs would write it.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return string(encode(v))
}

// mutants are texts that differ from a receipt in one place of its structure, and
// in nothing else: every field left out, null, given twice, in capitals or behind
// a new one, every element of a list null or left out.
func mutants(t *testing.T, text string) map[string]string {
	t.Helper()
	var document yaml.Node // JSON is YAML, and a node keeps the order
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	root := document.Content[0]
	if written(root) != text {
		t.Fatalf("%s is not %s", written(root), text)
	}
	out := map[string]string{}
	null := &yaml.Node{Kind: yaml.ScalarNode, Value: "null", Tag: "!!null"}
	var walk func(path string, n *yaml.Node)
	walk = func(path string, n *yaml.Node) {
		kept, size := slices.Clone(n.Content), 1
		try := func(why string, content []*yaml.Node) {
			n.Content = content
			out[path+" "+why] = written(root)
			n.Content = slices.Clone(kept)
		}
		if n.Kind == yaml.MappingNode {
			size = 2
		}
		for i := 0; i < len(kept); i += size {
			last := i + size - 1
			at := fmt.Sprintf("%s[%d]", path, i)
			try(at+" left out", slices.Delete(slices.Clone(kept), i, last+1))
			try(at+" null", slices.Replace(slices.Clone(kept), last, last+1, null))
			if size == 2 {
				upper := *kept[i]
				upper.Value = strings.ToUpper(upper.Value)
				extra := upper
				extra.Value = "extra"
				try(at+" in capitals", slices.Replace(slices.Clone(kept), i, i+1, &upper))
				try(at+" twice", slices.Insert(slices.Clone(kept), i, kept[i], kept[last]))
				try(at+" behind another", slices.Insert(slices.Clone(kept), i, &extra, kept[last]))
			}
			walk(at, kept[last])
		}
	}
	walk("", root)
	return out
}

// written is a node as JSON.
func written(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			parts = append(parts, written(n.Content[i])+":"+written(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case yaml.SequenceNode:
		for _, c := range n.Content {
			parts = append(parts, written(c))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	if n.Tag == "!!str" {
		return `"` + n.Value + `"`
	}
	return n.Value
}

// The schema is closed, and has one spelling.
//
// REQ: MT-03, LC-13
func TestClosed(t *testing.T) {
	for kind, text := range map[string]string{"auth": authText, "completion": completionText} {
		refused := mutants(t, text)
		if len(refused) < 80 {
			t.Fatalf("%d texts, want at least 80", len(refused))
		}
		for why, other := range map[string]string{
			"empty": "", "null": "null", "a list": "[]", "empty object": "{}", "no JSON": text[:len(text)-1],
			"line end": text + "\n", "blank before": " " + text, "two of them": text + text, "something behind": text + "x",
			"sorted by key": sorted(t, text),
			"a blank":       strings.Replace(text, `"key":`, `"key": `, 1), "byte order mark": "\ufeff" + text,
			"field twice": strings.Replace(text, `"key":`, `"key":{"id":"7","expires":"2021-12-01T12:00:07Z"},"key":`, 1),
			"escaped":     strings.Replace(text, `"lab-gw"`, `"lab\u002dgw"`, 1),
			"no UTF-8":    strings.Replace(text, `"lab-gw"`, "\"lab\xff\"", 1),
			"a number":    strings.Replace(strings.Replace(text, `"id":"7"`, `"id":7`, 1), `"id":"18446744073709551615"`, `"id":18446744073709551615`, 1),
			"1e0":         strings.Replace(strings.Replace(text, `"generation":1`, `"generation":1e0`, 1), `"renderFormat":1`, `"renderFormat":1e0`, 1),
		} {
			if other == text {
				t.Fatalf("%s, %s: nothing was changed", kind, why)
			}
			refused[why] = other
		}
		for why, other := range refused {
			if ok, plain := accepted(kind, other); ok || !plain {
				t.Errorf("%s receipt, %s: accepted: %v, refused as none: %v\n%s", kind, why, ok, plain, other)
			}
		}
	}
}
