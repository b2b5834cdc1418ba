package verify

import (
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/zone"
)

// What an API server makes of a rendering is the rendering, and has its digest.
//
// REQ: LC-13, LC-16, RN-06
func TestAsRendered(t *testing.T) {
	compared := 0
	for _, g := range gateways(t) {
		digests := map[string]bool{}
		for _, o := range bound(t, g) {
			live := created(t, o)
			if r := Inspect(o, live, stateCreated); r.State != Same || r.Path != "" || r.Differences != nil || r.Object != o.Object {
				t.Errorf("%s: %+v", o.Object, r)
			}
			d, err := Digest(live)
			if err != nil || d != RenderedDigest(o) || digests[d] {
				t.Errorf("%s: digest %s of the live one, %s of the rendered one (%v), or the same as another's", o.Object, d, RenderedDigest(o), err)
			}
			digests[d] = true
			if s := Retained(receipt.Object{Kind: o.Kind, Name: o.Name, UID: string(live.GetUID()), Digest: d}, live); s != Same {
				t.Errorf("%s is retained as %d", o.Object, s)
			}
			compared++
		}
	}
	if compared < 5*objects.Count {
		t.Errorf("%d objects", compared)
	}
}

// Pinned differences come first, then the zone's, then the mutable ones; all are
// told.
func TestOrder(t *testing.T) {
	rendering := full(t)
	workload := find(t, rendering, "StatefulSet", "")
	var got []string
	for _, d := range Compare(workload, created(t, workload, set(ts+"image", "x"), set("spec.serviceName", "x"), set(pod+"dnsPolicy", "Default"), set(pod+"containers[coredns].image", "x"))) {
		got = append(got, d.Path)
	}
	want := []string{"spec.serviceName", pod + "dnsPolicy", ts + "image", pod + "containers[coredns].image"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	balancer := find(t, rendering, "Service", "-lb")
	got = nil
	for _, d := range Compare(balancer, created(t, balancer, set("metadata.labels", nil), set("metadata.annotations[tsunaro.io/pool-label-keys]", nil))) {
		if d.Class != Pinned {
			got = append(got, d.Path)
		}
	}
	want = []string{"metadata.annotations[tsunaro.io/pool-label-keys]", "metadata.labels.lb-pool", "metadata.labels.quoted-oct", "metadata.labels[example.com/pool]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	config := find(t, rendering, "ConfigMap", "")
	r := Inspect(config, created(t, config, set(serialPath, "2"), set("data.more", "x")), stateCreated)
	if r.State != Different || r.Path != "data.more" || len(r.Differences) != 2 {
		t.Errorf("%+v", r)
	}
}

// A zone that the minter has moved on is as good as the first one.
//
// REQ: LC-16, DL-06
func TestLiveZone(t *testing.T) {
	config := find(t, full(t), "ConfigMap", "")
	data, problems := zone.New(model.DNS{Zone: "office.example", ExtraZones: []model.ExtraZone{{Zone: "corp.example"}}}, model.Gateway{}.LoadBalancer, "192.0.2.1 new.office.example\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	later := zone.Revision{Serial: 4711, Hash: data.Hash()}
	live := created(t, config, func(tree map[string]any) {
		content := map[string]any{}
		for k, v := range data.ConfigMap(later.Serial) {
			content[k] = v
		}
		tree["data"] = content
		for k, v := range later.Annotations() {
			tree["metadata"].(map[string]any)["annotations"].(map[string]any)[k] = v
		}
	})
	if r := Inspect(config, live, stateCreated); r.State != Same {
		t.Errorf("%+v", r)
	}
	if d, err := Digest(live); err != nil || d != RenderedDigest(config) {
		t.Errorf("the digest changed (%v)", err)
	}
}

// Each state hides those after it.
//
// REQ: LC-16, LC-22
func TestStates(t *testing.T) {
	rendering := full(t)
	o := find(t, rendering, "StatefulSet", "")
	terminating := func(tree map[string]any) { set("metadata.deletionTimestamp", deleted)(tree) }
	gateway := set("metadata.labels[tsunaro.io/gateway-uid]", stateUID)
	state := set("metadata.labels[tsunaro.io/state-uid]", gatewayUID)
	older := set("metadata.creationTimestamp", "2026-11-30T11:59:59Z")
	same := set("metadata.creationTimestamp", "2026-11-30T12:00:00Z")
	different, behind := set("spec.replicas", 0), set(ts+"image", "x")
	for _, c := range []struct {
		why   string
		edits []func(map[string]any)
		want  State
		path  string
	}{
		{"all of them", []func(map[string]any){terminating, gateway, state, older, different, behind}, Terminating, ""},
		{"all but that", []func(map[string]any){gateway, state, older, different, behind}, WrongUID, "metadata.labels[tsunaro.io/gateway-uid]"},
		{"the state's UID", []func(map[string]any){state, older, different, behind}, WrongUID, "metadata.labels[tsunaro.io/state-uid]"},
		{"no UID", []func(map[string]any){set("metadata.labels[tsunaro.io/state-uid]", nil)}, WrongUID, "metadata.labels[tsunaro.io/state-uid]"},
		{"no labels", []func(map[string]any){set("metadata.labels", nil)}, WrongUID, "metadata.labels[tsunaro.io/gateway-uid]"},
		{"older", []func(map[string]any){older, different, behind}, Older, "metadata.creationTimestamp"},
		{"of the same second", []func(map[string]any){same}, Same, ""},
		{"different", []func(map[string]any){different, behind}, Different, "spec.replicas"},
		{"behind", []func(map[string]any){behind}, Behind, ts + "image"},
	} {
		r := Inspect(o, created(t, o, c.edits...), stateCreated)
		if r.State != c.want || r.Path != c.path {
			t.Errorf("%s: %d at %q, want %d at %q", c.why, r.State, r.Path, c.want, c.path)
		}
	}
	if r := Inspect(o, nil, stateCreated); !reflect.DeepEqual(r, Result{Object: o.Object, State: Missing}) {
		t.Errorf("missing: %+v", r)
	}
	// An object of another kind under the name is no object of the nine.
	for _, other := range []Live{&rbacv1.Role{}, &corev1.Secret{}} {
		other.SetLabels(created(t, o).GetLabels())
		other.SetCreationTimestamp(deleted)
		if r := Inspect(o, other, stateCreated); r.State != Different || r.Path != "kind" {
			t.Errorf("%T: %+v", other, r)
		}
	}
}

// REQ: LC-15
func TestRetained(t *testing.T) {
	o := find(t, full(t), "StatefulSet", "")
	recorded := receipt.Object{Kind: o.Kind, Name: o.Name, UID: gatewayUID, Digest: RenderedDigest(o)}
	for _, c := range []struct {
		why  string
		live Live
		want State
	}{
		{"not there", nil, Missing},
		{"another object", withUID(created(t, o), stateUID), Replaced},
		{"another object that differs", withUID(created(t, o, set("spec.replicas", 0)), stateUID), Replaced},
		{"drifted", withUID(created(t, o, set("spec.replicas", 0)), gatewayUID), Different},
		{"another image", withUID(created(t, o, set(ts+"image", "x")), gatewayUID), Same},
		{"other metadata", withUID(created(t, o, set("metadata.labels.more", "x")), gatewayUID), Same},
		{"older than anything", withUID(created(t, o, set("metadata.creationTimestamp", "2001-01-01T00:00:00Z")), gatewayUID), Same},
		{"another type", withUID(&corev1.Secret{}, gatewayUID), Different},
	} {
		if got := Retained(recorded, c.live); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
}
