package receipt

import (
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
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
