package clustertest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// World is what an API server shows.
type World struct {
	Objects map[string]map[string]any // by path, such as api/v1/namespaces/x/pods/y
	Denied  []string                  // parts of paths that nobody may read, such as /secrets/
	Down    bool                      // it answers nothing
}

// plurals are the kinds with their places in paths.
var plurals = map[string]string{
	"TailnetGateway": "apis/tsunaro.io/v1alpha1/tailnetgateways", "Tailnet": "apis/tsunaro.io/v1alpha1/tailnets",
	"TailnetEgress": "apis/tsunaro.io/v1alpha1/tailnetegresses",
	"ConfigMap":     "api/v1/configmaps", "Secret": "api/v1/secrets", "Service": "api/v1/services", "ServiceAccount": "api/v1/serviceaccounts",
	"Pod": "api/v1/pods", "StatefulSet": "apis/apps/v1/statefulsets", "Deployment": "apis/apps/v1/deployments",
	"Role": "apis/rbac.authorization.k8s.io/v1/roles", "RoleBinding": "apis/rbac.authorization.k8s.io/v1/rolebindings",
	"PodDisruptionBudget": "apis/policy/v1/poddisruptionbudgets", "Lease": "apis/coordination.k8s.io/v1/leases",
}

// path is where an object is.
func path(kind, namespace, name string) string {
	place := plurals[kind]
	if namespace != "" {
		i := strings.LastIndex(place, "/")
		place = place[:i] + "/namespaces/" + namespace + place[i:]
	}
	return place + "/" + name
}

// Put adds an object that encodes as JSON.
func (w World) Put(t testing.TB, object any) {
	t.Helper()
	tree := decode(t, encode(t, object))
	metadata, _ := tree["metadata"].(map[string]any)
	kind, _ := tree["kind"].(string)
	namespace, _ := metadata["namespace"].(string)
	name, _ := metadata["name"].(string)
	if plurals[kind] == "" || name == "" {
		t.Fatalf("%s %s has no path", kind, name)
	}
	w.Objects[path(kind, namespace, name)] = tree
}

// With is a copy of the world in which an object is another, or gone where change
// returns nil.
func (w World) With(t testing.TB, kind, namespace, name string, change func(map[string]any) map[string]any) World {
	t.Helper()
	place := path(kind, namespace, name)
	if w.Objects[place] == nil {
		t.Fatalf("there is no %s", place)
	}
	out := World{maps.Clone(w.Objects), slices.Clone(w.Denied), w.Down}
	if changed := change(decode(t, encode(t, w.Objects[place]))); changed != nil {
		out.Objects[place] = changed
	} else {
		delete(out.Objects, place)
	}
	return out
}

// Without is a copy of the world in which an object is gone.
func (w World) Without(t testing.TB, kind, namespace, name string) World {
	t.Helper()
	return w.With(t, kind, namespace, name, func(map[string]any) map[string]any { return nil })
}

// lists reports whether a path is that of a kind as a whole.
func (w World) lists(place string) bool {
	for _, plural := range plurals {
		if place == plural {
			return true
		}
		i := strings.LastIndex(plural, "/")
		if strings.HasPrefix(place, plural[:i]+"/namespaces/") && strings.HasSuffix(place, plural[i:]) {
			return true
		}
	}
	return false
}

func (w World) list(place string) map[string]any {
	items := []any{}
	for _, name := range slices.Sorted(maps.Keys(w.Objects)) {
		if rest, ok := strings.CutPrefix(name, place+"/"); ok && !strings.Contains(rest, "/") {
			items = append(items, w.Objects[name])
		}
	}
	kind := "List"
	if len(items) > 0 {
		kind = items[0].(map[string]any)["kind"].(string) + "List"
	}
	return map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{}, "items": items}
}

func encode(t testing.TB, object any) []byte {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t testing.TB, data []byte) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}
