package function

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/kustomize-plugin/source"
)

func noFiles() (source.Files, error) { return fstest.MapFS{}, nil }

// FuzzResourceList runs the function on whatever it is given: it never panics,
// an error leaves no output, and its output is a ResourceList that it renders to
// the same bytes again (a pipeline may run it twice).
//
// REQ: RN-10, RN-13
func FuzzResourceList(f *testing.F) {
	seeds, err := fs.Glob(os.DirFS("testdata"), "*.yaml")
	if err != nil || len(seeds) < 3 {
		f.Fatalf("%d seeds: %v", len(seeds), err)
	}
	for _, name := range seeds {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, input string) {
		var out, log bytes.Buffer
		if err := Run(strings.NewReader(input), &out, &log, noFiles); err != nil {
			if out.Len() > 0 {
				t.Errorf("an error and %d bytes of output", out.Len())
			}
			return
		}
		var list struct {
			Kind  string
			Items []map[string]any
		}
		if err := yaml.Unmarshal(out.Bytes(), &list); err != nil || list.Kind != "ResourceList" {
			t.Fatalf("%v in\n%s", err, out.Bytes())
		}
		if !strings.Contains(input, "Resources") && !strings.Contains(input, "tsunaro-bindings") {
			var again bytes.Buffer
			if err := Run(bytes.NewReader(out.Bytes()), &again, &log, noFiles); err != nil || !bytes.Equal(again.Bytes(), out.Bytes()) {
				t.Fatalf("run again: %v\n%s\n%s", err, out.Bytes(), again.Bytes())
			}
		}
	})
}
