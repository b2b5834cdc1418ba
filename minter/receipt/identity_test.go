package receipt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/crd"
)

// Specs in which every field of the tables has a value, no default among them.
const (
	fullGateway = `
metadata: {name: lab-gw, uid: 00000000-0000-4000-8000-000000000001, generation: 3, resourceVersion: "101"}
spec:
  suspend: false
  deletionPolicy: Delete
  renderFormat: 2
  tailnetRef: {name: home}
  hostname: node
  tags: ["tag:a", "tag:b"]
  routes: {lan: [192.168.10.0/24], advertiseEgressTargets: false}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  poolLabels: {lb-pool: lan}
  dns:
    zone: lab.example
    serviceName: lab-dns
    clusterIP: 10.96.0.53
    records: [{name: app, addresses: [192.168.10.7]}]
    extraZones: [{zone: corp.example, upstreams: [192.168.10.2]}, {zone: old.example, upstreams: [192.168.10.3]}]
  images: {tailscale: "example/t:1.2.3", coredns: "example/c:1.2.3"}
  pod:
    resources:
      tailscale: {requests: {cpu: 1}, limits: {cpu: 2}}
      coredns: {requests: {memory: 1Mi}, limits: {memory: 2Mi}}
    sysctls: [{name: net.ipv4.ip_forward, value: "1"}]
    tolerations: [{key: k, operator: Equal, value: v, effect: NoExecute, tolerationSeconds: 5}]
    nodeSelector: {site: a}
  stateSecretRef: {name: other}
  authKeySecretRef: {name: auth, key: k}
  forwards: [{listenPort: 80, target: "192.168.10.8:80"}]
  adoption:
    nodeId: "7"
    objects: [{apiVersion: v1, kind: Secret, name: s, uid: u}]
`
	fullTailnet = `
metadata: {name: home, uid: 00000000-0000-4000-8000-000000000002, generation: 1, resourceVersion: "7"}
spec:
  operatorNamespace: gateways
  controlURL: https://headscale.example
  apiURL: https://api.example
  allowHTTP: true
  caBundleConfigMapRef: {name: ca, key: pem}
  bootstrapSecretRef: {name: boot, key: b}
  dns: {hostsConfigMapRef: {name: names, key: all}}
  policy: {mode: Apply, baseConfigMapRef: {name: base, key: p}}
`
)

func read[T any](t *testing.T, text string) *T {
	t.Helper()
	v := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), v); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return v
}

// subject reads a CR and returns what may never change of it.
func subject(t *testing.T, kind, text string) Subject {
	if kind == api.KindTailnet {
		return TailnetSubject(read[v1alpha1.Tailnet](t, text))
	}
	return GatewaySubject(read[v1alpha1.TailnetGateway](t, text))
}

func scope(t *testing.T, kind, text string) Scope {
	if kind == api.KindTailnet {
		return TailnetScope(read[v1alpha1.Tailnet](t, text))
	}
	return GatewayScope(read[v1alpha1.TailnetGateway](t, text))
}

// edits calls try with every text in which one leaf of a CR's spec has another
// value, and with its path as in the table of classes.
func edits(t *testing.T, text string, try func(path, text string)) {
	t.Helper()
	root := read[map[string]any](t, text)
	write := func() string {
		b, err := yaml.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for key, e := range v {
				walk(path+"."+key, e, func(e any) { v[key] = e })
			}
			return
		case []any:
			if _, objects := v[0].(map[string]any); objects {
				for i, e := range v {
					walk(path+"[]", e, func(e any) { v[i] = e })
				}
				return
			}
			set(append(slices.Clone(v), v[0])) // one more
		case string:
			set(v + "x")
		case float64:
			set(v + 1)
		case bool:
			set(!v)
		default:
			t.Fatalf("%s is %T", path, v)
		}
		try(path, write())
		set(v)
	}
	walk("spec", (*root)["spec"], nil)
	if !reflect.DeepEqual(root, read[map[string]any](t, text)) {
		t.Fatal("an edit was not undone")
	}
}

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

const (
	sparseGateway = `
metadata: {name: lab-gw}
spec:
  tailnetRef: {name: home}
  tags: ["tag:a"]
  routes: {lan: [192.168.10.0/24]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53}
`
	sparseTailnet = `
metadata: {name: home}
spec:
  controlURL: https://headscale.example
  caBundleConfigMapRef: {name: ca}
  policy: {baseConfigMapRef: {name: base}}
`
)

// What is left out means what an API server fills in, by the CRDs' own defaults,
// and for two fields what follows from the name. What is written out stays.
//
// REQ: LC-13, MT-03
func TestDefaults(t *testing.T) {
	filled := 0
	for _, b := range crd.All() {
		var d definition
		if err := yaml.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		kind := d.Spec.Names.Kind
		text, ok := map[string]string{api.KindTailnetGateway: sparseGateway, api.KindTailnet: sparseTailnet}[kind]
		if !ok {
			continue
		}
		object := *read[map[string]any](t, text)
		spec := object["spec"].(map[string]any)
		fill(d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties.Spec, spec)
		if kind == api.KindTailnetGateway {
			spec["hostname"], spec["stateSecretRef"] = "lab-gw", map[string]any{"name": "lab-gw-state"}
		}
		server, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		filled++
		if was, now := scope(t, kind, text), scope(t, kind, string(server)); was != now {
			t.Errorf("%s: the spec hashes otherwise once the server has read it:\n%s", kind, server)
		}
		if was, now := subject(t, kind, text), subject(t, kind, string(server)); !reflect.DeepEqual(was, now) {
			t.Errorf("%s: %v became %v", kind, was, now)
		}
	}
	if filled != 2 {
		t.Errorf("%d kinds, want 2", filled)
	}
	g, n := read[v1alpha1.TailnetGateway](t, fullGateway), read[v1alpha1.Tailnet](t, fullTailnet)
	if !reflect.DeepEqual(g, defaultedGateway(g)) || !reflect.DeepEqual(n, defaultedTailnet(n)) {
		t.Error("a default replaces what is written")
	}
	before := fmt.Sprint(read[v1alpha1.TailnetGateway](t, sparseGateway).Spec)
	g = read[v1alpha1.TailnetGateway](t, sparseGateway)
	if GatewayScope(g); fmt.Sprint(g.Spec) != before {
		t.Error("the CR was changed in place")
	}
}

// definition is the part of a CRD that holds the defaults.
type definition struct {
	Spec struct {
		Names    struct{ Kind string }
		Versions []struct {
			Schema struct {
				OpenAPIV3Schema struct {
					Properties struct{ Spec map[string]any }
				}
			}
		}
	}
}

// fill puts the defaults of a schema into a value, as an API server does.
func fill(schema map[string]any, value any) {
	object, ok := value.(map[string]any)
	if !ok {
		return
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		property := p.(map[string]any)
		if d, ok := property["default"]; ok && object[name] == nil {
			if _, empty := d.(map[string]any); empty {
				d = map[string]any{}
			}
			object[name] = d
		}
		fill(property, object[name])
	}
}
