package api

import "strings"

// Class says what a change of a field means for a gateway that runs (UP-01).
type Class string

// The field classes.
const (
	Identity Class = "Identity" // needs a new node or a new shape: IdentityChanged
	Pinned   Class = "Pinned"   // fixed at creation, can be reverted: FreshBlocked until then
	Mutable  Class = "Mutable"  // carried out
)

// Field is a leaf of a spec. The path has no indices: spec.tags is the whole
// list, spec.dns.records[].name the name of each record.
type Field struct {
	Path  string
	Class Class
}

// TailnetFields are the leaves of a Tailnet's spec, in reading order.
var TailnetFields = []Field{
	{"spec.operatorNamespace", Identity},
	{"spec.controlURL", Identity},
	{"spec.apiURL", Mutable},
	{"spec.allowHTTP", Mutable},
	{"spec.caBundleConfigMapRef.name", Pinned},
	{"spec.caBundleConfigMapRef.key", Pinned},
	{"spec.bootstrapSecretRef.name", Mutable},
	{"spec.bootstrapSecretRef.key", Mutable},
	{"spec.dns.hostsConfigMapRef.name", Identity},
	{"spec.dns.hostsConfigMapRef.key", Identity},
	{"spec.policy.mode", Mutable},
	{"spec.policy.baseConfigMapRef.name", Mutable},
	{"spec.policy.baseConfigMapRef.key", Mutable},
}

// GatewayFields are the leaves of a TailnetGateway's spec, in reading order.
var GatewayFields = []Field{
	{"spec.suspend", Mutable},
	{"spec.deletionPolicy", Mutable},
	{"spec.renderFormat", Identity},
	{"spec.tailnetRef.name", Identity},
	{"spec.hostname", Identity},
	{"spec.tags", Identity},
	{"spec.routes.lan", Mutable},
	{"spec.routes.advertiseEgressTargets", Mutable},
	{"spec.tailnetLBCIDR", Mutable},
	{"spec.loadBalancerIP", Identity},
	{"spec.poolLabels", Mutable},
	{"spec.dns.zone", Identity},
	{"spec.dns.serviceName", Identity},
	{"spec.dns.clusterIP", Identity},
	{"spec.dns.records[].name", Mutable},
	{"spec.dns.records[].addresses", Mutable},
	{"spec.dns.extraZones[].zone", Identity},
	{"spec.dns.extraZones[].upstreams", Identity},
	{"spec.images.tailscale", Mutable},
	{"spec.images.coredns", Mutable},
	{"spec.pod.resources.tailscale.requests", Pinned},
	{"spec.pod.resources.tailscale.limits", Pinned},
	{"spec.pod.resources.coredns.requests", Pinned},
	{"spec.pod.resources.coredns.limits", Pinned},
	{"spec.pod.sysctls[].name", Pinned},
	{"spec.pod.sysctls[].value", Pinned},
	{"spec.pod.tolerations[].key", Pinned},
	{"spec.pod.tolerations[].operator", Pinned},
	{"spec.pod.tolerations[].value", Pinned},
	{"spec.pod.tolerations[].effect", Pinned},
	{"spec.pod.tolerations[].tolerationSeconds", Pinned},
	{"spec.pod.nodeSelector", Pinned},
	{"spec.stateSecretRef.name", Identity},
	{"spec.authKeySecretRef.name", Identity},
	{"spec.authKeySecretRef.key", Identity},
	{"spec.forwards[].listenPort", Identity},
	{"spec.forwards[].target", Identity},
	{"spec.adoption.nodeId", Identity},
	{"spec.adoption.objects[].apiVersion", Identity},
	{"spec.adoption.objects[].kind", Identity},
	{"spec.adoption.objects[].name", Identity},
	{"spec.adoption.objects[].uid", Identity},
}

// ClassOf returns the class of a field, of an object all of whose leaves have
// one class, or of an element of either; path is written as in a finding, such
// as spec.dns.records[3].name or spec.poolLabels[lb-pool]. ok is false for a
// path that is in no table, or whose leaves differ in class.
func ClassOf(fields []Field, path string) (c Class, ok bool) {
	path = withoutIndices(path)
	for _, f := range fields {
		leaf := strings.ReplaceAll(f.Path, "[]", "")
		if leaf != path && !strings.HasPrefix(leaf, path+".") {
			continue
		}
		if ok && f.Class != c {
			return "", false
		}
		c, ok = f.Class, true
	}
	return c, ok
}

// withoutIndices drops everything in brackets.
func withoutIndices(path string) string {
	var b strings.Builder
	for path != "" {
		head, rest, found := strings.Cut(path, "[")
		b.WriteString(head)
		if !found {
			break
		}
		_, path, _ = strings.Cut(rest, "]")
	}
	return b.String()
}
