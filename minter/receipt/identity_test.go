package receipt

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Exactly the fields of class Identity are the identity, and each is named when it
// changes. Every field is part of the spec's hash.
//
// REQ: LC-13, LC-15, UP-01, MT-03
func TestIdentityIsTheTable(t *testing.T) {
	for kind, c := range map[string]struct {
		text   string
		fields []api.Field
	}{
		api.KindTailnetGateway: {fullGateway, api.GatewayFields},
		api.KindTailnet:        {fullTailnet, api.TailnetFields},
	} {
		was, scopeWas := subject(t, kind, c.text), scope(t, kind, c.text)
		seen := map[string]bool{}
		edits(t, c.text, func(path, text string) {
			i := slices.IndexFunc(c.fields, func(f api.Field) bool { return path == f.Path || strings.HasPrefix(path, f.Path+".") })
			if i < 0 {
				t.Fatalf("%s has no class", path)
			}
			f := c.fields[i]
			seen[f.Path] = true
			changed, other := was.Identity.Changed(subject(t, kind, text).Identity)
			if other != (f.Class == api.Identity) || other && changed != f.Path {
				t.Errorf("%s, which is %s: changed %v, named %q", path, f.Class, other, changed)
			}
			if scopeWas.Same(scope(t, kind, text)) {
				t.Errorf("%s is not in the hash of the spec", path)
			}
		})
		if len(seen) != len(c.fields) {
			t.Errorf("%s: %d of %d fields were edited", kind, len(seen), len(c.fields))
		}
		identity := 0
		for _, f := range c.fields {
			if f.Class == api.Identity {
				identity++
			}
		}
		if !was.Identity.valid(c.fields) || len(was.Identity) != identity {
			t.Errorf("%s: %d fields, want %d", kind, len(was.Identity), identity)
		}
	}
}

// A field that appears or disappears is a change, whichever of two is asked, and
// the first in the order of the table is named.
//
// REQ: LC-15
func TestChanged(t *testing.T) {
	one, two := Identity{"spec.tags": digestOf(1)}, Identity{"spec.tags": digestOf(1), "spec.dns.zone": digestOf(2)}
	for _, c := range []struct {
		was, now Identity
		path     string
	}{
		{one, maps.Clone(one), ""},
		{one, two, "spec.dns.zone"},
		{two, one, "spec.dns.zone"},
		{nil, two, "spec.tags"},
		{two, Identity{"spec.tags": digestOf(3), "spec.dns.zone": digestOf(4)}, "spec.tags"},
		{Identity{"spec.controlURL": digestOf(1)}, Identity{"spec.controlURL": digestOf(2)}, "spec.controlURL"},
	} {
		if path, ok := c.was.Changed(c.now); path != c.path || ok != (c.path != "") {
			t.Errorf("%v, %v: %q %v, want %q", c.was, c.now, path, ok, c.path)
		}
	}
}

// The order of a list counts, as it does to the policies of a pull request, and a
// value cannot move from one field or element to the next unseen.
//
// REQ: LC-15
func TestIdentityOfLists(t *testing.T) {
	was := subject(t, api.KindTailnetGateway, fullGateway)
	for old, edited := range map[string]string{
		`["tag:a", "tag:b"]`: `["tag:b", "tag:a"]`,
		`{zone: corp.example, upstreams: [192.168.10.2]}, {zone: old.example, upstreams: [192.168.10.3]}`: `{zone: corp.example, upstreams: [192.168.10.2, 192.168.10.3]}, {zone: old.example, upstreams: []}`,
		`{zone: corp.example, upstreams: [192.168.10.2]}, `:                                               ``,
	} {
		text := strings.Replace(fullGateway, old, edited, 1)
		if _, ok := was.Identity.Changed(subject(t, api.KindTailnetGateway, text).Identity); !ok || text == fullGateway {
			t.Errorf("%s is the same identity as %s", edited, old)
		}
	}
}

// Metadata and status of the CRs, a resume and a changed policy of deletion change
// no identity; of the scope only UID, generation, name and spec count.
//
// REQ: LC-14, LC-15, MT-03, TD-01
func TestRevisions(t *testing.T) {
	g := read[v1alpha1.TailnetGateway](t, fullGateway)
	was, scopeWas := GatewaySubject(g), GatewayScope(g)
	g.Labels, g.Annotations, g.Finalizers = map[string]string{"a": "b"}, map[string]string{"c": "d"}, []string{"e/f"}
	g.ResourceVersion, g.Status.NodeID, g.DeletionTimestamp = "999", "7", &metav1.Time{}
	if now := GatewaySubject(g); !reflect.DeepEqual(was, now) {
		t.Errorf("%+v became %+v", was, now)
	}
	if now := GatewayScope(g); !scopeWas.Same(now) || now.Revision != "999" || scopeWas.Revision != "101" {
		t.Errorf("%+v became %+v", scopeWas, now)
	}
	for why, edit := range map[string]func(){
		"generation": func() { g.Generation++ },
		"UID":        func() { g.UID = "x" },
		"name":       func() { g.Name = "x" },
	} {
		before := GatewayScope(g)
		edit()
		if before.Same(GatewayScope(g)) {
			t.Errorf("another %s is the same scope", why)
		}
	}
	g = read[v1alpha1.TailnetGateway](t, fullGateway)
	g.Generation, g.Spec.Suspend, g.Spec.DeletionPolicy = 9, nil, v1alpha1.DeletionRetain
	if now := GatewaySubject(g); !reflect.DeepEqual(was, now) {
		t.Errorf("suspended, %+v became %+v", was, now)
	}
	n := read[v1alpha1.Tailnet](t, fullTailnet)
	if s, sub := TailnetScope(n), TailnetSubject(n); s.Name != "home" || s.UID != uid(2) || s.Generation != 1 || s.Revision != "7" ||
		sub.Name != "home" || sub.UID != uid(2) {
		t.Errorf("%+v, %+v", s, sub)
	}
}
