package renderer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/kustomize-plugin/yamlout"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
)

// TestGolden renders testdata/x.in.yaml and compares with x.out.yaml, byte for
// byte: these files freeze render format 1 (RN-11). UPDATE_GOLDEN=1 rewrites
// them.
//
// REQ: RN-01, RN-02, RN-11
func TestGolden(t *testing.T) {
	for _, in := range goldenInputs(t) {
		name := strings.TrimSuffix(filepath.Base(in), ".in.yaml")
		t.Run(name, func(t *testing.T) {
			got := goldenText(t, mustRender(t, readFile(t, in)))
			golden := filepath.Join("testdata", name+".out.yaml")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := readFile(t, golden); string(got) != string(want) {
				t.Errorf("%s differs; got:\n%s", golden, got)
			}
		})
	}
}

func goldenInputs(t testing.TB) []string {
	t.Helper()
	inputs, err := filepath.Glob("testdata/*.in.yaml")
	if err != nil || len(inputs) < 5 {
		t.Fatalf("%d golden inputs (%v), want at least 5", len(inputs), err)
	}
	return inputs
}

// goldenText is the rendered stream, followed by what the function would say on
// stderr, as comments.
func goldenText(t *testing.T, out renderer.Output) []byte {
	t.Helper()
	text, err := yamlout.Stream(out.Objects())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out.Suspended() {
		text = append(text, "# suspended: "+o.String()+"\n"...)
	}
	for _, w := range out.Warnings {
		text = append(text, "# "+w.String()+"\n"...)
	}
	return text
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustRender(t *testing.T, input []byte) renderer.Output {
	t.Helper()
	docs, findings := document.Parse("", input)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
