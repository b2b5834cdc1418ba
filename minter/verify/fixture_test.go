package verify

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/objects"
)

const (
	gatewayUID = "99999999-8a1c-4a5c-9d3e-1c1f0c1a2b3c"
	stateUID   = "88888888-1b2c-4d3e-8f90-112233445566"
)

// stateCreated is when the state Secret was; everything rendered is younger.
var stateCreated = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// gateways renders the golden inputs of the renderer: what has no default, what
// has, the bounds and two at once.
func gateways(t testing.TB) []renderer.Gateway {
	t.Helper()
	inputs, err := filepath.Glob("../../renderer/testdata/*.in.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []renderer.Gateway
	for _, input := range inputs {
		data, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, render(t, string(data)).Gateways...)
	}
	if len(all) < 5 {
		t.Fatalf("%d gateways, want at least 5", len(all))
	}
	return all
}

func render(t testing.TB, input string) renderer.Output {
	t.Helper()
	docs, findings := document.Parse("", []byte(input))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bound is a gateway's set with the UIDs of this test.
func bound(t testing.TB, g renderer.Gateway) objects.Set {
	t.Helper()
	set, err := Bind(g, gatewayUID, stateUID)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// full is the set of the gateway that uses every field.
func full(t testing.TB) objects.Set {
	t.Helper()
	data, err := os.ReadFile("../../renderer/testdata/full.in.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return bound(t, render(t, string(data)).Gateways[0])
}

// find returns the object of a kind, and for a Service of a name that ends so.
func find(t testing.TB, set objects.Set, kind, suffix string) objects.Object {
	t.Helper()
	i := slices.IndexFunc(set[:], func(o objects.Object) bool { return o.Kind == kind && strings.HasSuffix(o.Name, suffix) })
	if i < 0 {
		t.Fatalf("no %s …%s", kind, suffix)
	}
	return set[i]
}

// created is an object as an API server and others around it make it of what was
// rendered: with metadata of its own, addresses, a status, and no TypeMeta.
func created(t testing.TB, o objects.Object, edits ...func(map[string]any)) Live {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(o.JSON, &tree); err != nil {
		t.Fatal(err)
	}
	delete(tree, "apiVersion")
	delete(tree, "kind")
	meta := tree["metadata"].(map[string]any)
	meta["uid"] = "77777777-0000-4000-8000-000000000001"
	meta["resourceVersion"], meta["generation"] = "4711", 3
	meta["creationTimestamp"] = "2026-11-30T12:00:05Z"
	meta["managedFields"] = []any{map[string]any{"manager": "kustomize-controller", "operation": "Apply"}}
	meta["ownerReferences"], meta["finalizers"] = []any{}, []any{"example.com/keep"}
	meta["labels"].(map[string]any)["kustomize.toolkit.fluxcd.io/name"] = "lab"
	meta["annotations"].(map[string]any)["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
	if spec, ok := tree["spec"].(map[string]any); ok && spec["type"] == "LoadBalancer" {
		spec["clusterIP"], spec["clusterIPs"], spec["healthCheckNodePort"] = "10.96.7.7", []any{"10.96.7.7"}, 31000
		tree["status"] = map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "10.99.0.53"}}}}
	}
	if o.Kind == "StatefulSet" {
		tree["status"] = map[string]any{"replicas": 1, "readyReplicas": 1}
	}
	for _, edit := range edits {
		edit(tree)
	}
	return decoded(t, o.Kind, tree)
}

func decoded(t testing.TB, kind string, tree map[string]any) Live {
	t.Helper()
	data, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	live, err := Decode(kind, data)
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return live
}

// set is an edit: it writes a value at a path such as spec.ports[dns-udp].port or
// metadata.labels[a/b], or removes what is there if the value is nil.
func set(path string, value any) func(map[string]any) {
	return func(tree map[string]any) {
		steps := strings.FieldsFunc(path, func(r rune) bool { return r == '[' })
		var keys []string
		for i, s := range steps {
			if i > 0 {
				key, rest, _ := strings.Cut(s, "]")
				keys, s = append(keys, key), strings.TrimPrefix(rest, ".")
			}
			if s != "" {
				keys = append(keys, strings.Split(s, ".")...)
			}
		}
		put(tree, keys, value)
	}
}

// put returns the container with the value in it, which is another one where a
// list has got longer or shorter.
func put(container any, keys []string, value any) any {
	switch c := container.(type) {
	case map[string]any:
		if len(keys) > 1 {
			c[keys[0]] = put(c[keys[0]], keys[1:], value)
		} else if c[keys[0]] = value; value == nil {
			delete(c, keys[0])
		}
		return c
	case []any:
		i := slices.IndexFunc(c, func(e any) bool {
			o, _ := e.(map[string]any)
			return o["name"] == keys[0]
		})
		if n, err := strconv.Atoi(keys[0]); i < 0 && err == nil {
			i = n
		}
		switch {
		case len(keys) > 1:
			c[i] = put(c[i], keys[1:], value)
		case value == nil:
			return slices.Delete(c, i, i+1)
		case i < 0 || i >= len(c):
			return append(c, value)
		default:
			c[i] = value
		}
		return c
	}
	panic(fmt.Sprintf("nothing at %v of %v", keys, container))
}

var deleted = metav1.NewTime(stateCreated.Add(time.Hour))

func withUID(live Live, uid string) Live {
	live.SetUID(types.UID(uid))
	return live
}
