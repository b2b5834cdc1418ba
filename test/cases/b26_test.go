package cases

import (
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// B26: a state Secret that something else has put a key into, or that two make,
// breaks the first start. Nothing that is rendered is a Secret: the Pod refers by
// name to one that the minter creates, empty.

// REQ: RN-02, PD-03, PD-06, LC-07
func TestB26(t *testing.T) {
	for why, files := range map[string]kustomize.Layer{
		"by default":      nil,
		"written out":     gateway("  stateSecretRef:\n    name: gw1-state\n"),
		"Delete":          gateway("  deletionPolicy: Delete\n"),
		"extra zones":     gateway("    extraZones:\n    - zone: corp.example\n      upstreams: [\"192.0.2.2\"]\n"),
		"with a CA":       {"tailnet.yaml": kustomize.Base()["tailnet.yaml"] + "  caBundleConfigMapRef:\n    name: headscale-ca\n"},
		"bootstrap named": {"tailnet.yaml": kustomize.Base()["tailnet.yaml"] + "  bootstrapSecretRef:\n    name: mine\n"},
	} {
		t.Run(why, func(t *testing.T) {
			objects := kustomize.Parse(t, render(t, kustomize.Base().With(files)).Must(t).Stdout)
			var places []string
			for name, o := range objects {
				if strings.HasPrefix(name, "Secret/") {
					t.Errorf("%s is rendered", name)
				}
				walk(o, func(text string) {
					if strings.Contains(text, "-state") && !strings.Contains(text, "tsunaro.io/") && !strings.HasPrefix(text, "${") {
						places = append(places, name+" "+text)
					}
				})
			}
			kustomize.Same(t, places, []string{"Role/tsunaro-system/gw1 gw1-state", statefulSet + " gw1-state"})
			if got := env(t, objects)["TS_KUBE_SECRET"]; got != "gw1-state" {
				t.Errorf("TS_KUBE_SECRET is %q", got)
			}
			role := objects["Role/tsunaro-system/gw1"]
			rules, _ := kustomize.At(role, "rules")
			if n := len(rules.([]any)); n != 1 {
				t.Errorf("%d rules, want 1", n)
			}
			for path, want := range map[string]string{
				"rules[0].resources[0]": "secrets", "rules[0].resourceNames[0]": "gw1-state",
				"rules[0].verbs[0]": "get", "rules[0].verbs[1]": "update", "rules[0].verbs[2]": "patch",
			} {
				if got := str(t, role, path); got != want {
					t.Errorf("%s is %s, want %s", path, got, want)
				}
			}
			for _, path := range []string{"rules[0].verbs[3]", "rules[0].resourceNames[1]", "rules[0].resources[1]"} {
				if more, ok := kustomize.At(role, path); ok {
					t.Errorf("%s is %v", path, more)
				}
			}
			volumes, _ := kustomize.At(objects[statefulSet], "spec.template.spec.volumes")
			for _, v := range volumes.([]any) {
				if secret, ok := kustomize.At(v, "secret"); ok {
					t.Errorf("the Secret %v is a volume", secret)
				}
			}
		})
	}
}

// Any other Secret is refused: no node starts with an identity that the minter has
// not made.
//
// REQ: LC-07, RN-08
func TestB26Other(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"  stateSecretRef: {name: gw2-state}\n", "state-secret TailnetGateway/gw1 spec.stateSecretRef.name"},
		{"  stateSecretRef: {name: \"\"}\n", "state-secret TailnetGateway/gw1 spec.stateSecretRef.name"},
		{"  stateSecretRef: {}\n", "required TailnetGateway/gw1 spec.stateSecretRef.name"},
		{"  stateSecretRef: {name: gw1-state, namespace: other}\n", "unknown-field TailnetGateway/gw1 spec.stateSecretRef.namespace"},
		{"  authKeySecretRef: {name: gw1-auth}\n", "auth-secret-ref TailnetGateway/gw1 spec.authKeySecretRef"},
	} {
		render(t, kustomize.Base().With(gateway(c.spec))).Refused(t, c.want)
	}
	// A Secret of that name in the same build would be applied beside the nine.
	render(t, kustomize.Base().With(kustomize.Layer{
		"secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: gw1-state, namespace: tsunaro-system}\ndata: {}\n",
	})).Refused(t, "name-conflict TailnetGateway/gw1 metadata.name")
}
