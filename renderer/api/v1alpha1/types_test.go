package v1alpha1

import (
	"errors"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/test/corpus"
)

// The types hold everything that the valid set of the corpus says, and lose
// nothing of it on the way to JSON and back but what is empty.
//
// REQ: LC-01
func TestTypesHoldTheBase(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for file, kind := range map[string]string{
		"tailnet": "Tailnet", "gateway": "TailnetGateway", "second": "TailnetGateway", "egress": "TailnetEgress",
	} {
		b, err := corpus.BaseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first := decode(t, scheme, kind, b)
		again, err := yaml.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		var written, read any
		if err := errors.Join(yaml.Unmarshal(b, &written), yaml.Unmarshal(again, &read)); err != nil {
			t.Fatal(err)
		}
		if written, read = full(written), full(read); !reflect.DeepEqual(written, read) {
			t.Errorf("%s: written:\n%v\nread:\n%v", file, written, read)
		}
		if !reflect.DeepEqual(first, first.DeepCopyObject()) {
			t.Errorf("%s: the deep copy differs", file)
		}
	}
}

// decode reads an object of a kind, refusing fields that the type lacks.
func decode(t *testing.T, scheme *runtime.Scheme, kind string, b []byte) runtime.Object {
	t.Helper()
	object, err := scheme.New(GroupVersion.WithKind(kind))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(b, object); err != nil {
		t.Fatalf("%v in:\n%s", err, b)
	}
	return object
}

// full drops empty objects and lists, and what holds nothing else.
func full(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			if v[key] = full(v[key]); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

// Nil counts as suspended, and an explicit false survives.
//
// REQ: LC-02
func TestSuspendKeepsFalse(t *testing.T) {
	off := false
	for _, want := range []struct {
		suspend *bool
		shown   bool
	}{{nil, false}, {&off, true}} {
		b, err := yaml.Marshal(TailnetGatewaySpec{Suspend: want.suspend})
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := yaml.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}
		if _, shown := fields["suspend"]; shown != want.shown {
			t.Errorf("suspend %v: written: %v", want.suspend, shown)
		}
	}
}
