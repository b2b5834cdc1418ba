package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/tool"
)

// build is what kustomize makes of a directory.
type build struct {
	text    string
	objects map[string]json.RawMessage // by Kind/namespace/name
}

func kustomize(t *testing.T, dir string) build {
	t.Helper()
	program, err := tool.Path("kustomize")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "build", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kustomize build %s: %v\n%s", dir, err, &stderr)
	}
	b := build{string(out), map[string]json.RawMessage{}}
	for dec := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(out), 4096); ; {
		var raw json.RawMessage
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			return b
		} else if err != nil {
			t.Fatal(err)
		}
		var o metav1.PartialObjectMetadata
		if err := json.Unmarshal(raw, &o); err != nil {
			t.Fatal(err)
		}
		b.objects[o.Kind+"/"+o.Namespace+"/"+o.Name] = raw
	}
}

// get decodes an object strictly, as an API server asked to would.
func (b build) get(t *testing.T, kind, namespace, name string, into any) {
	t.Helper()
	raw, ok := b.objects[kind+"/"+namespace+"/"+name]
	if !ok {
		t.Fatalf("no %s %s/%s", kind, namespace, name)
	}
	if err := yaml.UnmarshalStrict(raw, into); err != nil {
		t.Fatalf("%s %s: %v", kind, name, err)
	}
}

// elsewhere is the kustomization of docs/minter.md for another namespace, and the
// namespace.
func elsewhere(t *testing.T) (kustomization, namespace string) {
	t.Helper()
	text := docs.Block(t, "yaml", "namespace:")
	_, rest, _ := strings.Cut(text, "\nnamespace: ")
	namespace, _, _ = strings.Cut(rest, "\n")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	relative, err := filepath.Rel(dir, here)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(text, "- minter/deploy\n", "- "+relative+"\n", 1)
	if changed == text {
		t.Fatalf("%s does not build on minter/deploy:\n%s", docs, text)
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, namespace
}

// Another namespace takes everything along, and shares no name with the minter of
// the first: both can be in one cluster.
//
// REQ: RN-12
func TestAnotherNamespace(t *testing.T) {
	dir, namespace := elsewhere(t)
	first, second := kustomize(t, "."), kustomize(t, dir)
	if strings.Contains(second.text, api.DefaultOperatorNamespace) {
		t.Errorf("%s is left of the first namespace:\n%s", api.DefaultOperatorNamespace, second.text)
	}
	if len(first.objects) != objects || len(second.objects) != objects {
		t.Errorf("%d and %d objects, want %d", len(first.objects), len(second.objects), objects)
	}
	for id := range second.objects {
		if first.objects[id] != nil {
			t.Errorf("both have %s", id)
		}
	}
	for name, where := range map[string]string{"": api.DefaultOperatorNamespace, "-" + namespace: namespace} {
		b := first
		if name != "" {
			b = second
		}
		want := fmt.Sprintf("ServiceAccount %s/%s", where, api.MinterName)
		for _, bound := range b.bindings(t, api.MinterName+name, where) {
			if bound != want {
				t.Errorf("%s: bound to %s", where, bound)
			}
		}
	}
}

// objects is how many objects are installed.
const objects = 8
