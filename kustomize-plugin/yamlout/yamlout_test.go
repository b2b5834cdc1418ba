package yamlout

import (
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/objects"
)

// TestStream: words that some YAML reader takes for something else stay quoted,
// multi-line text stays text, and numbers and booleans stay what they are.
func TestStream(t *testing.T) {
	ambiguous := []string{"0777", "1e3", "on", "No", "y", "null", "~", "2026-11-29", "=", "0x1F", "1:30", "", "-conf", "<<", "${a:=<unbound>}", "*", "&a", "!x", "#", "a: b", "a #b", "@", "`"}
	object := map[string]any{"count": 53, "set": false, "text": "one\ntwo\n", "plain": "/bin/sh", "list": ambiguous}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Stream([]objects.Object{{JSON: raw}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"count: 53\n", "set: false\n", "text: |\n  one\n  two\n", "plain: /bin/sh\n", `- "on"`, `- "0777"`, `- "1:30"`, `- "y"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	var back map[string]any
	if err := yaml.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	for i, v := range back["list"].([]any) {
		if v != ambiguous[i] {
			t.Errorf("%q came back as %#v", ambiguous[i], v)
		}
	}
}
