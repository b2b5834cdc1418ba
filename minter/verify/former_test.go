package verify

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/renderer/objects"
)

// What a digest of v0.10.0 pins, beside what one of today does. Each line changes
// one field: under which rule is that another object?
//
// REQ: LC-17, DL-06, UP-02
func TestFormerDigest(t *testing.T) {
	rendering := full(t)
	for _, c := range []struct {
		why, kind, suffix string
		path              string
		value             any
		former, current   bool // is it another digest?
	}{
		{"an image", "StatefulSet", "", ts + "image", "x", false, false},
		{"the init container's", "StatefulSet", "", pod + "initContainers[kernel-preflight].image", "x", false, false},
		{"routes", "StatefulSet", "", ts + "env[TS_ROUTES].value", "10.0.0.0/8", false, false},
		{"another variable", "StatefulSet", "", ts + "env[TS_HOSTNAME].value", "x", true, true},
		{"replicas", "StatefulSet", "", "spec.replicas", 0, true, true},
		{"zone.db", "ConfigMap", "", "data[zone.db]", "x", false, false},
		{"the serial", "ConfigMap", "", serialPath, "2", false, false},
		{"the hash", "ConfigMap", "", "metadata.annotations[tsunaro.io/dns-content-sha256]", "x", false, false},
		{"the Corefile", "ConfigMap", "", "data.Corefile", "x", true, false},
		{"hosts", "ConfigMap", "", "data.hosts", "x", true, false},
		{"no hosts", "ConfigMap", "", "data.hosts", nil, true, false},
		{"another key", "ConfigMap", "", "data.more", "x", true, true},
		{"no data at all", "ConfigMap", "", "data", nil, true, false},
		{"an allocated address", "Service", "-lb", "spec.clusterIP", "10.96.7.8", true, false},
		{"an allocated port", "Service", "-lb", "spec.healthCheckNodePort", 31001, true, false},
		{"a pinned address", "Service", "-dns", "spec.clusterIP", "10.96.7.8", true, true},
		{"pool labels", "Service", "-lb", "metadata.labels.lb-pool", "x", false, false},
		{"their keys", "Service", "-lb", "metadata.annotations[tsunaro.io/pool-label-keys]", "x", false, false},
		{"a label of ours", "Role", "", "metadata.labels[tsunaro.io/gateway]", "x", true, true},
		{"one of others", "Role", "", "metadata.labels.more", "x", false, false},
		{"rules", "Role", "", "rules[0].verbs[0]", "x", true, true},
	} {
		suffix := c.suffix
		if suffix == "-dns" {
			suffix = ""
		}
		o := find(t, rendering, c.kind, suffix)
		if c.suffix == "-dns" {
			o = dnsService(t, rendering)
		}
		before, after := created(t, o), created(t, o, set(c.path, c.value))
		for name, digest := range map[string]func(Live) (string, error){"former": FormerDigest, "current": Digest} {
			want := c.current
			if name == "former" {
				want = c.former
			}
			was, err := digest(before)
			is, errToo := digest(after)
			if err != nil || errToo != nil || (was != is) != want || len(is) != 64 {
				t.Errorf("%s, %s rule: %s, then %s, %v %v", c.why, name, was, is, err, errToo)
			}
		}
	}
}

// dnsService is the Service with the rendered cluster IP.
func dnsService(t *testing.T, set objects.Set) objects.Object {
	t.Helper()
	for _, o := range set {
		if o.Kind == "Service" && !strings.Contains(string(o.JSON), `"clusterIP":"None"`) && strings.Contains(string(o.JSON), `"type":"ClusterIP"`) {
			return o
		}
	}
	t.Fatal("no DNS Service")
	return objects.Object{}
}

// The digest of today follows from that of v0.10.0: whoever knows that the one is
// as recorded need not fear what the other leaves out.
//
// REQ: LC-17
func TestFormerPinsMore(t *testing.T) {
	for _, g := range gateways(t) {
		for _, o := range bound(t, g) {
			a, b := created(t, o), created(t, o, set("metadata.labels.more", "x"), set("metadata.generation", 9))
			fa, err := FormerDigest(a)
			fb, errToo := FormerDigest(b)
			da, _ := Digest(a)
			db, _ := Digest(b)
			if err != nil || errToo != nil || fa != fb || da != db {
				t.Errorf("%s: %v %v", o.Object, err, errToo)
			}
			if same := o.Kind == "ConfigMap" || strings.HasSuffix(o.Name, "-lb"); (fa == da) == same {
				t.Errorf("%s: former digest %s, today's %s", o.Object, fa, da)
			}
		}
	}
	if _, err := FormerDigest(&corev1.Secret{}); err != ErrType {
		t.Errorf("a Secret: %v", err)
	}
}
