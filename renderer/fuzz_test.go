package renderer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// FuzzDocuments renders whatever it is given: it never panics, it says what it
// refuses in the table's words alone, and what it accepts is nine well-formed
// objects per active gateway, twice the same.
//
// REQ: RN-01, RN-02, RN-08
func FuzzDocuments(f *testing.F) {
	for _, in := range goldenInputs(f) {
		f.Add(string(readFile(f, in)))
	}
	f.Add("a: &a [x]\nb: *a\n")
	f.Add("a: &a {b: *a}\n")
	f.Add("- 1\n---\n\"\"\n---\n!!binary x\n")
	f.Fuzz(func(t *testing.T, input string) {
		out, err := render(input)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		active := 0
		for _, g := range out.Gateways {
			if !g.Gateway.Suspended {
				active++
			}
		}
		list := out.Objects()
		if len(list) != active*objects.Count || len(out.Gateways) == 0 {
			t.Fatalf("%d objects of %d active gateways", len(list), active)
		}
		seen := map[rules.Object]bool{}
		for _, o := range list {
			if seen[o.Object] || !json.Valid(o.JSON) || o.Namespace == "" {
				t.Errorf("%s: twice, without a namespace or not JSON", o.Object)
			}
			seen[o.Object] = true
		}
		again, err := render(input)
		if err != nil || !bytes.Equal(bytesOf(list), bytesOf(again.Objects())) {
			t.Errorf("the second render differs: %v", err)
		}
	})
}

func render(input string) (renderer.Output, error) {
	docs, findings := document.Parse("", []byte(input))
	if len(findings) > 0 {
		return renderer.Output{}, rules.Refusal(findings)
	}
	return renderer.Render(docs)
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	var refusal rules.Refusal
	if !errors.As(err, &refusal) || len(refusal) == 0 {
		t.Fatalf("not a refusal: %v", err)
	}
	for _, f := range refusal {
		if rules.Lookup(f.Rule).Warn || !strings.HasPrefix(f.Text(), rules.Lookup(f.Rule).Text) {
			t.Errorf("not the table's words: %v", f)
		}
	}
}
