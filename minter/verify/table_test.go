package verify

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/digest"
)

// rule is one line of the table: what is changed, and what must be said of it.
type rule struct {
	why          string
	kind, suffix string
	edit         func(map[string]any)
	paths        string // apart by blanks; empty for none
	class        digest.Class
}

const (
	pod = "spec.template.spec."
	ts  = pod + "containers[tailscale]."
)

var table = []rule{
	{"another image", "StatefulSet", "", set(ts+"image", "other:1.2.3"), ts + "image", digest.Mutable},
	{"another image of CoreDNS", "StatefulSet", "", set(pod+"containers[coredns].image", "other:1.2.3"), pod + "containers[coredns].image", digest.Mutable},
	{"another image of the preflight", "StatefulSet", "", set(pod+"initContainers[kernel-preflight].image", "o:1.2.3"), pod + "initContainers[kernel-preflight].image", digest.Mutable},
	{"other routes", "StatefulSet", "", set(ts+"env[TS_ROUTES].value", "10.0.0.0/8"), ts + "env[TS_ROUTES].value", digest.Mutable},
	{"routes from elsewhere", "StatefulSet", "", set(ts+"env[TS_ROUTES].valueFrom", map[string]any{"fieldRef": map[string]any{"fieldPath": "x"}}), ts + "env[TS_ROUTES].valueFrom", Pinned},
	{"no routes variable", "StatefulSet", "", set(ts+"env[TS_ROUTES]", nil), ts + "env[TS_ROUTES]", Pinned},
	{"two routes variables", "StatefulSet", "", set(ts+"env[more]", map[string]any{"name": "TS_ROUTES", "value": "10.0.0.0/8"}), ts + "env[18]", Pinned},
	{"another variable", "StatefulSet", "", set(ts+"env[TS_HOSTNAME].value", "x"), ts + "env[TS_HOSTNAME].value", Pinned},
	{"one variable more", "StatefulSet", "", set(ts+"env[TS_X]", map[string]any{"name": "TS_X", "value": "1"}), ts + "env[TS_X]", Pinned},
	{"one container more", "StatefulSet", "", set(pod+"containers[spy]", map[string]any{"name": "spy", "image": "x"}), pod + "containers[spy]", Pinned},
	{"one container less", "StatefulSet", "", set(pod+"containers[coredns]", nil), pod + "containers[coredns]", Pinned},
	{"containers in another order", "StatefulSet", "", reversed("spec", "template", "spec", "containers"), pod + "containers", Pinned},
	{"a container with another name", "StatefulSet", "", set(pod+"containers[coredns].name", "dns"), pod + "containers[coredns] " + pod + "containers[dns]", Pinned},
	{"another command", "StatefulSet", "", set(pod+"initContainers[kernel-preflight].command[2]", "true"), pod + "initContainers[kernel-preflight].command[2]", Pinned},
	{"one argument more", "StatefulSet", "", set(pod+"containers[coredns].args[2]", "-x"), pod + "containers[coredns].args[2]", Pinned},
	{"one argument less", "StatefulSet", "", set(pod+"containers[coredns].args[1]", nil), pod + "containers[coredns].args[1]", Pinned},
	{"no arguments", "StatefulSet", "", set(pod+"containers[coredns].args", nil), pod + "containers[coredns].args", Pinned},
	{"a field that nobody rendered", "StatefulSet", "", set(pod+"hostNetwork", true), pod + "hostNetwork", Pinned},
	{"a quantity", "StatefulSet", "", set(ts+"resources.limits.cpu", "2"), ts + "resources.limits.cpu", Pinned},
	{"another replica", "StatefulSet", "", set("spec.replicas", 2), "spec.replicas", Pinned},
	{"a restart by annotation", "StatefulSet", "", set("spec.template.metadata.annotations", map[string]any{"kubectl.kubernetes.io/restartedAt": "now"}), "spec.template.metadata.annotations", Pinned},
	{"another label of the Pod", "StatefulSet", "", set("spec.template.metadata.labels[a.b/c]", "x"), "spec.template.metadata.labels[a.b/c]", Pinned},
	{"another selector", "StatefulSet", "", set("spec.selector.matchLabels[tsunaro.io/state-uid]", gatewayUID), "spec.selector.matchLabels[tsunaro.io/state-uid]", Pinned},
	{"another budget", "PodDisruptionBudget", "", set("spec.minAvailable", 0), "spec.minAvailable", Pinned},
	{"more rights", "Role", "", set("rules[0].verbs[3]", "list"), "rules[0].verbs[3]", Pinned},
	{"other rights", "Role", "", set("rules[0].resourceNames[0]", "x"), "rules[0].resourceNames[0]", Pinned},
	{"no rights", "Role", "", set("rules", nil), "rules", Pinned},
	{"another subject", "RoleBinding", "", set("subjects[0].namespace", "x"), "subjects[" + fullName + "].namespace", Pinned},
	{"another role", "RoleBinding", "", set("roleRef.name", "x"), "roleRef.name", Pinned},
	{"automount", "ServiceAccount", "", set("automountServiceAccountToken", true), "automountServiceAccountToken", Pinned},
	{"another render format", "ServiceAccount", "", set("metadata.annotations[tsunaro.io/render-format]", "2"), "metadata.annotations[tsunaro.io/render-format]", Pinned},
	{"no render format", "ServiceAccount", "", set("metadata.annotations[tsunaro.io/render-format]", nil), "metadata.annotations[tsunaro.io/render-format]", Pinned},
	{"a key of ours", "Role", "", set("metadata.labels[tsunaro.io/more]", "x"), "metadata.labels[tsunaro.io/more]", Pinned},
	{"another owner", "Role", "", set("metadata.labels[tsunaro.io/gateway]", "x"), "metadata.labels[tsunaro.io/gateway]", Pinned},
	{"a key of the engine's", "Role", "", set("metadata.annotations[kustomize.toolkit.fluxcd.io/prune]", "enabled"), "", 0},
	{"somebody's labels", "Service", "-lb", set("metadata.labels[example.com/team]", "x"), "", 0},
	{"another name", "Role", "", set("metadata.name", "x"), "metadata.name", Pinned},
	{"another namespace", "Role", "", set("metadata.namespace", "x"), "metadata.namespace", Pinned},
	{"another cluster IP", "Service", "-dns", set("spec.clusterIP", "10.96.0.9"), "spec.clusterIP", Pinned},
	{"another allocated IP", "Service", "-lb", set("spec.clusterIP", "10.96.0.9"), "", 0},
	{"an address of the headless Service", "Service", fullName, set("spec.clusterIPs", []any{"10.96.0.9"}), "spec.clusterIPs[0]", Pinned},
	{"another LB address", "Service", "-lb", set("spec.loadBalancerIP", "10.99.0.9"), "spec.loadBalancerIP", Pinned},
	{"another type", "Service", "-lb", set("spec.type", "NodePort"), "spec.type", Pinned},
	{"a node port", "Service", "-lb", set("spec.ports[dns-udp].nodePort", 30053), "spec.ports[dns-udp].nodePort", Pinned},
	{"another port", "Service", "-dns", set("spec.ports[dns-tcp].targetPort", 53), "spec.ports[dns-tcp].targetPort", Pinned},
	{"another pool", "Service", "-lb", set("metadata.labels.lb-pool", "off"), "metadata.labels.lb-pool", digest.Mutable},
	{"no pool", "Service", "-lb", set("metadata.labels[example.com/pool]", nil), "metadata.labels[example.com/pool]", digest.Mutable},
	{"another record of the pools", "Service", "-lb", set("metadata.annotations[tsunaro.io/pool-label-keys]", "x"), "metadata.annotations[tsunaro.io/pool-label-keys]", digest.Mutable},
	{"no record of the pools", "Service", "-lb", set("metadata.annotations[tsunaro.io/pool-label-keys]", nil), "metadata.annotations[tsunaro.io/pool-label-keys]", digest.Mutable},
	{"a record of pools elsewhere", "Service", "-dns", set("metadata.annotations[tsunaro.io/pool-label-keys]", "x"), "metadata.annotations[tsunaro.io/pool-label-keys]", Pinned},
	{"data that are not the zone's", "ConfigMap", "", set("data[extra.conf]", "x"), "data[extra.conf]", Pinned},
	{"binary data", "ConfigMap", "", set("binaryData", map[string]any{"x": "eA=="}), "binaryData", Pinned},
	{"frozen", "ConfigMap", "", set("immutable", true), "immutable", Pinned},
	{"another Corefile", "ConfigMap", "", set("data.Corefile", "."), "", 0},
	{"another zone, same hash", "ConfigMap", "", set("data[zone.db]", "."), serialPath, digest.Live},
	{"other hosts, same hash", "ConfigMap", "", set("data.hosts", "x"), serialPath, digest.Live},
	{"another serial", "ConfigMap", "", set(serialPath, "2"), serialPath, digest.Live},
	{"no serial", "ConfigMap", "", set(serialPath, nil), serialPath, digest.Live},
	{"no hash", "ConfigMap", "", set("metadata.annotations[tsunaro.io/dns-content-sha256]", nil), serialPath, digest.Live},
	{"no data", "ConfigMap", "", set("data", nil), serialPath, digest.Live},
}

const (
	fullName   = "a23456789-b23456789-c23456789-d234567890"
	serialPath = "metadata.annotations[tsunaro.io/dns-serial]"
)

func reversed(keys ...string) func(map[string]any) {
	return func(tree map[string]any) {
		var at any = tree
		for _, k := range keys {
			at = at.(map[string]any)[k]
		}
		slices.Reverse(at.([]any))
	}
}

// Every rule of the comparison, with a case that only it catches.
//
// REQ: LC-15, LC-16, DL-03, DL-06, RN-06, RN-11, UP-02
func TestTable(t *testing.T) {
	rendering := full(t)
	for _, c := range table {
		o := find(t, rendering, c.kind, c.suffix)
		live := created(t, o, c.edit)
		r := Inspect(o, live, stateCreated)
		var want []Difference
		for path := range strings.FieldsSeq(c.paths) {
			want = append(want, Difference{o.Object, path, c.class})
		}
		state, first := Different, ""
		switch {
		case want == nil:
			state = Same
		case c.class == digest.Mutable:
			state = Behind
		}
		if want != nil {
			first = want[0].Path
		}
		if !reflect.DeepEqual(r.Differences, want) || r.State != state || r.Path != first {
			t.Errorf("%s: state %d at %q, %+v; want state %d, %+v", c.why, r.State, r.Path, r.Differences, state, want)
		}
		pinned := c.paths != "" && c.class == Pinned
		d, err := Digest(live)
		if err != nil || (d == RenderedDigest(o)) == pinned {
			t.Errorf("%s: the digest is another one: %v, and should be: %v (%v)", c.why, !pinned, pinned, err)
		}
	}
}
