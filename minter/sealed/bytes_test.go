package sealed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/sealed"
)

// TestPrinted looks for the content in everything that a careless line of code
// could write.
//
// REQ: MT-05
func TestPrinted(t *testing.T) {
	const content = "canary-5f2a"
	b := sealed.New(content)
	holder := struct {
		Key  sealed.Bytes
		Keys []sealed.Bytes
	}{b, []sealed.Bytes{b}}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("all", "key", b, "pointer", &b, "holder", holder)
	}
	asJSON, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	out := log.String() + string(asJSON) + string(asYAML)
	hidden := struct {
		key  sealed.Bytes
		keys []sealed.Bytes
		deep struct{ key *sealed.Bytes }
	}{key: b, keys: []sealed.Bytes{b}}
	hidden.deep.key = &b
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%c", "%t", "%p", "%y"} {
		out += fmt.Sprintf(verb+verb, b, &b) + fmt.Sprintf(verb, holder)
		out += fmt.Sprintf(verb+verb+verb, hidden, &hidden, []any{hidden, &hidden})
	}
	out += fmt.Sprint(errors.Join(fmt.Errorf("with %v", b), fmt.Errorf("with %s", []sealed.Bytes{b})))
	decimal := strings.Trim(fmt.Sprint([]byte(content)), "[]")
	goSyntax := "0x63, 0x61, 0x6e, 0x61, 0x72, 0x79"
	for _, form := range []string{content, fmt.Sprintf("%x", content), fmt.Sprintf("%X", content), "Y2FuYXJ5LTVmMm", decimal, goSyntax} {
		if strings.Contains(out, form) {
			t.Errorf("%q is printed:\n%s", form, out)
		}
	}
	if !strings.Contains(out, "[sealed]") || string(b.Open()) != content {
		t.Error("the secret is lost")
	}
	if b.Empty() || !(sealed.Bytes{}).Empty() || !b.Equal(sealed.New([]byte(content))) || b.Equal(sealed.Bytes{}) {
		t.Error("Empty or Equal is wrong")
	}
}
