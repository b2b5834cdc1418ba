//go:build lab

package apiserver

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// write is a way in which objects get to the server.
type write struct {
	name string
	args []string
}

var (
	clientSide = write{"client-side apply", []string{"apply", "-f", "-"}}
	serverSide = write{"server-side apply", []string{"apply", "--server-side", "--force-conflicts", "--field-manager=engine", "-f", "-"}}
	creation   = write{"create", []string{"create", "-f", "-"}}
	replace    = write{"replace", []string{"replace", "-f", "-"}}

	dryRuns = []write{
		{"client-side dry run", []string{"apply", "--dry-run=server", "-f", "-"}},
		{"server-side dry run", []string{"apply", "--server-side", "--force-conflicts", "--field-manager=engine", "--dry-run=server", "-f", "-"}},
	}
)

// diff are both modes of kubectl diff. They end with code 1 on a difference.
var diff = map[string][]string{
	clientSide.name: {"diff", "-f", "-"},
	serverSide.name: {"diff", "--server-side", "--force-conflicts", "--field-manager=engine", "-f", "-"},
}

// binder is a way in which UIDs get into the nine.
type binder struct {
	name  string
	since []string // versions
	nine  func(w *world, registry map[string]string) set
}

var binders = []binder{
	{"admission", mutating, func(w *world, _ map[string]string) set { return w.render(nil) }},
	{"flux", apiserver.Versions, (*world).substituted},
	{"git", apiserver.Versions, (*world).render},
}

// Nothing that lacks a UID is created, whichever way it comes: no policy is
// needed for that. The namespaces are one for which no policy is installed, and
// one without a registry.
//
// REQ: RN-05
func TestUnboundIsRefused(t *testing.T) {
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		for name, w := range map[string]*world{"without policies": l.worldIn(t, "plain", 100), "without a registry": l.world(t)} {
			for _, how := range append(dryRuns, creation, clientSide, serverSide) {
				for binder, nine := range map[string]set{"as rendered": w.render(nil), "with Flux's default": w.substituted(nil)} {
					r := w.kubectl(apiserver.FluxEngine, nine.manifest(t), how.args...)
					if r.Code == 0 || r.Stdout != "" {
						t.Errorf("%s, %s, %s: exit code %d\n%s", name, how.name, binder, r.Code, r.Stdout)
					}
					if n := strings.Count(r.Stderr, "<unbound>"); n < objects.Count {
						t.Errorf("%s, %s, %s: <unbound> is named %d times:\n%s", name, how.name, binder, n, r.Stderr)
					}
				}
			}
			if n := len(w.live(w.render(nil)).versions()); n != 0 {
				t.Errorf("%s: %d objects are there", name, n)
			}
		}
	})
}

// Bound, the nine are created with the right UIDs in every place, by every
// binder and in every way; applying them again writes nothing, and no diff shows
// anything.
//
// REQ: RN-05, UP-11
func TestBound(t *testing.T) {
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		for _, b := range binders {
			if !slices.Contains(b.since, l.Version) {
				continue
			}
			for _, how := range []write{clientSide, serverSide} {
				t.Run(b.name+"/"+how.name, func(t *testing.T) { bound(t, l.world(t), b, how) })
			}
		}
	})
}

func bound(t *testing.T, w *world, b binder, how write) {
	registry := w.entry("open")
	w.register(registry)
	nine := b.nine(w, registry)
	text := nine.manifest(t)
	for _, dry := range dryRuns {
		w.must(apiserver.ArgoEngine, text, dry.args...)
	}
	if n := len(w.live(nine).versions()); n != 0 {
		t.Fatalf("a dry run made %d objects", n)
	}
	w.must(apiserver.ArgoEngine, text, how.args...)
	w.wantUIDs(nine)

	before := w.live(nine).versions()
	w.must(apiserver.ArgoEngine, text, how.args...)
	w.must(apiserver.ArgoEngine, text, diff[how.name]...)
	if after := w.live(nine).versions(); !maps.Equal(before, after) {
		t.Errorf("applied again, it wrote: %v, then %v", before, after)
	}
	for _, other := range []write{clientSide, serverSide} { // each takes its share of the ownership
		w.must(apiserver.Person, text, other.args...)
	}
	for _, args := range diff {
		w.must(apiserver.Person, text, args...)
	}
	w.must(apiserver.Person, text, replace.args...)
	w.wantUIDs(nine)
}

// wantUIDs wants both UIDs in every place of every object of a set.
func (w *world) wantUIDs(nine set) {
	w.Helper()
	for i, o := range w.live(nine) {
		if o == nil {
			w.Fatalf("%s %s is not there", nine[i].GetKind(), nine[i].GetName())
		}
		// kubectl keeps what it was given in an annotation; placeholders are not UIDs.
		if got := places(o); !maps.Equal(got, expectedPlaces[o.GetKind()]) {
			w.Errorf("%s %s: UIDs at %v, want %v", o.GetKind(), o.GetName(), got, expectedPlaces[o.GetKind()])
		}
	}
}

// expectedPlaces is how often each kind holds each UID.
var expectedPlaces = map[string]map[string]int{
	"ConfigMap":           {gatewayUID: 1, stateUID: 1},
	"Role":                {gatewayUID: 1, stateUID: 1},
	"RoleBinding":         {gatewayUID: 1, stateUID: 1},
	"ServiceAccount":      {gatewayUID: 1, stateUID: 1},
	"Service":             {gatewayUID: 2, stateUID: 2},
	"PodDisruptionBudget": {gatewayUID: 2, stateUID: 2},
	"StatefulSet":         {gatewayUID: 3, stateUID: 3},
}

// places counts the values of UID labels anywhere in an object.
func places(object *unstructured.Unstructured) map[string]int {
	counts := map[string]int{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				if s, ok := inner.(string); ok && (k == api.LabelGatewayUID || k == api.LabelStateUID) {
					counts[s]++
				}
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(object.Object)
	return counts
}

// What was deleted from a gateway comes back in no way: not while it is minted or
// complete, and not after its entry was taken away for the teardown (B15).
//
// REQ: UP-11
func TestNothingComesBack(t *testing.T) {
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		w := l.world(t)
		nine := w.setUp("open")
		deleted := set{nine.get(t, "StatefulSet", w.gateway), nine.get(t, "Service", api.LBServiceName(w.gateway)), nine.get(t, "Role", w.gateway)}
		for _, o := range deleted {
			w.must(apiserver.Person, "", "delete", o.GetKind(), o.GetName())
		}
		for _, c := range []struct {
			registry map[string]string
			want     string
		}{
			{w.entry("minting"), "is not open for creation (phase minting)"},
			{w.entry("complete"), "is not open for creation (phase complete)"},
			{map[string]string{}, "has no entry in ConfigMap tsunaro-bindings"},
			{nil, "tsunaro-create-needs-configmap-tsunaro-bindings"},
		} {
			w.register(c.registry)
			for i, how := range []write{creation, clientSide, serverSide} {
				r := w.kubectl(actors[i%len(actors)], deleted.manifest(t), how.args...)
				if n := strings.Count(r.Stderr, c.want); r.Code == 0 || r.Stdout != "" || n != len(deleted) {
					t.Errorf("%s, registry %v: exit code %d, %d refusals\n%s%s", how.name, c.registry, r.Code, n, r.Stdout, r.Stderr)
				}
			}
		}
	})
}
