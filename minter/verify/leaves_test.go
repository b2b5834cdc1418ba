package verify

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/renderer/objects"
)

// free reports whether a field of a created object may be anything: it is written
// down here once more, apart from the table of the renderer.
func free(o objects.Object, path string) bool {
	switch {
	case strings.HasPrefix(path, "status."), path == "metadata.uid", path == "metadata.resourceVersion", path == "metadata.generation",
		strings.HasPrefix(path, "metadata.managedFields"), strings.HasPrefix(path, "metadata.finalizers"):
		return true
	case strings.HasPrefix(path, "metadata.annotations[") && !strings.Contains(path, "[tsunaro.io/"):
		return true
	case path == "metadata.labels[kustomize.toolkit.fluxcd.io/name]":
		return true
	case o.Kind == "ConfigMap":
		return slices.Contains([]string{"data.Corefile"}, path)
	case o.Kind == "Service" && strings.HasSuffix(o.Name, "-lb"):
		return strings.HasPrefix(path, "spec.clusterIP") || path == "spec.healthCheckNodePort"
	}
	return false
}

// class of a field that is not free.
func class(o objects.Object, path string) digest.Class {
	switch {
	case o.Kind == "StatefulSet" && (strings.HasSuffix(path, "].image") || strings.HasSuffix(path, "env[TS_ROUTES].value")):
		return digest.Mutable
	case strings.HasSuffix(o.Name, "-lb") && (strings.HasPrefix(path, "metadata.labels") && !strings.Contains(path, "tsunaro.io/") ||
		path == "metadata.annotations[tsunaro.io/pool-label-keys]"):
		return digest.Mutable
	case o.Kind == "ConfigMap" && (strings.HasPrefix(path, "data") || strings.Contains(path, "/dns-")):
		return digest.Live
	}
	return Pinned
}

// leaves calls try with the path of every leaf of a tree and a function that sets
// it for the time of the call.
func leaves(path string, v any, set func(any), try func(path string, v any, set func(any))) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			next := path + "." + k
			if strings.ContainsAny(k, "./") {
				next = path + "[" + k + "]"
			}
			leaves(strings.TrimPrefix(next, "."), e, func(e any) { v[k] = e }, try)
		}
	case []any:
		for i, e := range v {
			name := fmt.Sprint(i)
			if o, ok := e.(map[string]any); ok && o["name"] != nil {
				name = o["name"].(string)
			}
			leaves(path+"["+name+"]", e, func(e any) { v[i] = e }, try)
		}
	default:
		try(path, v, set)
	}
}

// Whatever leaf of whatever object changes: it is reported at its path and in its
// class, or it is free.
//
// REQ: LC-15, LC-16, UP-02
func TestEveryLeaf(t *testing.T) {
	changed := 0
	for _, o := range full(t) {
		var tree map[string]any
		data, err := json.Marshal(created(t, o))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &tree); err != nil {
			t.Fatal(err)
		}
		leaves("", tree, nil, func(path string, v any, set func(any)) {
			if path == "metadata.creationTimestamp" {
				return
			}
			set(other(v))
			defer set(v)
			data, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			live, err := Decode(o.Kind, data)
			if err != nil {
				return // of a type that takes no other value, such as a quantity with an x
			}
			changed++
			expectLeaf(t, o, path, live)
		})
	}
	if changed < 250 {
		t.Errorf("%d leaves, want at least 250", changed)
	}
}

func expectLeaf(t *testing.T, o objects.Object, path string, live Live) {
	t.Helper()
	var want []Difference
	c := class(o, path)
	if !free(o, path) {
		if c == digest.Live {
			path = serialPath
		}
		want = []Difference{{o.Object, path, c}}
	}
	got := Compare(o, live)
	if renamed := strings.HasSuffix(path, "].name"); renamed { // the name is part of the path
		if len(got) == 0 || got[0].Class != Pinned {
			t.Errorf("%s: %s: %+v", o.Object, path, got)
		}
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %s: %+v, want %+v", o.Object, path, got, want)
	}
	if d, err := Digest(live); err != nil || (d == RenderedDigest(o)) != (want == nil || c != Pinned) {
		t.Errorf("%s: %s: the digest changed: %v (%v)", o.Object, path, d != RenderedDigest(o), err)
	}
}

// other is another value of the same JSON type.
func other(v any) any {
	switch v := v.(type) {
	case string:
		return v + "x"
	case float64:
		return v + 1
	case bool:
		return !v
	}
	return "x"
}

// FuzzCompare: whatever is read, nothing panics, the error shows nothing, and the
// digest is the rendered one exactly where nothing pinned differs.
//
// REQ: LC-13, LC-15
func FuzzCompare(f *testing.F) {
	set := full(f)
	for i, o := range set {
		data, err := json.Marshal(created(f, o))
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 10_000 {
			f.Add(uint8(i), data)
		}
	}
	f.Add(uint8(3), []byte(`{"metadata":{"annotations":null},"data":null,"binaryData":{"x":""}}`))
	f.Add(uint8(8), []byte(`{"spec":{"template":{"spec":{"containers":[{"name":""},{"name":""}]}}}}`))
	f.Add(uint8(0), []byte(`null`))
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		o := set[int(i)%len(set)]
		live, err := Decode(o.Kind, data)
		if err != nil {
			if err != ErrType || live != nil {
				t.Errorf("%v %v", live, err)
			}
			return
		}
		r := Inspect(o, live, stateCreated)
		pinned := slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Class == Pinned })
		if d, err := Digest(live); err != nil || (d == RenderedDigest(o)) == pinned {
			t.Errorf("the same digest: %v, pinned differences: %+v (%v)", d == RenderedDigest(o), r.Differences, err)
		}
		if r.State == Same && len(r.Differences) > 0 || r.State == Different && len(r.Differences) == 0 {
			t.Errorf("%+v", r)
		}
	})
}
