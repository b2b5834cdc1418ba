package cases

import (
	"maps"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// B15: an engine prunes, forces or replaces what it should leave alone, or takes
// objects that somebody copied its tracking keys to for its own.

// retained is on every one of the nine, and is all there is of the engines' keys
// except for those of extraKeys.
var retained = map[string]string{
	"kustomize.toolkit.fluxcd.io/prune":  "disabled",
	"kustomize.toolkit.fluxcd.io/force":  "disabled",
	"argocd.argoproj.io/sync-options":    "Prune=false,Delete=false",
	"argocd.argoproj.io/compare-options": "IgnoreExtraneous",
}

// extraKeys are those that one object has in addition, or with another value.
var extraKeys = map[string]map[string]string{
	"ConfigMap/gw1-coredns": { // the minter owns the live zone; it may be too large for client-side apply
		"kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent",
		"argocd.argoproj.io/sync-options": "Prune=false,Delete=false,ServerSideApply=true",
	},
	"Service/gw1-lb": {"argocd.argoproj.io/ignore-healthcheck": "true"}, // nobody may ever give it an address
}

var trackingKeys = `
    kustomize.toolkit.fluxcd.io/name: apps
    kustomize.toolkit.fluxcd.io/namespace: flux-system
    kustomize.toolkit.fluxcd.io/prune: enabled
    kustomize.toolkit.fluxcd.io/force: enabled
    argocd.argoproj.io/tracking-id: "apps:tsunaro.io/TailnetGateway:/gw1"
    argocd.argoproj.io/instance: apps
    argocd.argoproj.io/sync-options: Force=true,Replace=true
    app.kubernetes.io/instance: apps
    app.kubernetes.io/managed-by: Helm
    meta.helm.sh/release-name: apps`

// The nine carry the opt-outs of both engines and no tracking key, whatever the
// gateway is and whatever the CRs carry.
//
// REQ: RN-09, LC-05
func TestB15(t *testing.T) {
	bindings := kustomize.Layer{"bindings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: tsunaro-bindings, namespace: tsunaro-system}
data:
  gw1_gateway_uid: 11111111-2222-4333-8444-555555555555
  gw1_state_uid: 66666666-7777-4888-8999-aaaaaaaaaaaa
`}
	tracked := kustomize.Layer{}
	for name, text := range kustomize.Base() {
		if name == "tailnet.yaml" || name == "gateway.yaml" || name == "egress.yaml" {
			text = strings.Replace(text, "metadata:\n", "metadata:\n  annotations:"+trackingKeys+"\n", 1)
			tracked[name] = strings.Replace(text, "metadata:\n", "metadata:\n  labels:"+trackingKeys[:strings.Index(trackingKeys, "\n    argocd")]+"\n", 1)
		}
	}
	for why, files := range map[string]kustomize.Layer{
		"plain":                   nil,
		"extra zones":             gateway("    extraZones:\n    - zone: corp.example\n      upstreams: [\"192.0.2.2\"]\n"),
		"no pool labels":          edited(t, "gateway.yaml", "  poolLabels:\n    lb-pool: lan\n", ""),
		"deletionPolicy: Delete":  gateway("  deletionPolicy: Delete\n"),
		"bound":                   bindings,
		"engines' keys on inputs": tracked,
	} {
		t.Run(why, func(t *testing.T) {
			objects := kustomize.Parse(t, render(t, kustomize.Base().With(files)).Must(t).Stdout)
			if len(objects) != 9 {
				t.Errorf("%d objects, want 9", len(objects))
			}
			for name, o := range objects {
				want := maps.Clone(retained)
				maps.Copy(want, extraKeys[strings.Replace(name, "tsunaro-system/", "", 1)])
				annotations, _ := kustomize.At(o, "metadata.annotations")
				if got := engineKeys(annotations); !maps.Equal(got, want) {
					t.Errorf("%s: annotations %v, want %v", name, got, want)
				}
				labels, _ := kustomize.At(o, "metadata.labels")
				if got := engineKeys(labels); len(got) > 0 {
					t.Errorf("%s: labels %v", name, got)
				}
				if _, owned := kustomize.At(o, "metadata.ownerReferences"); owned {
					t.Errorf("%s has an owner", name)
				}
			}
		})
	}
}

// engineKeys are all keys that are not the product's own.
func engineKeys(m any) map[string]string {
	out := map[string]string{}
	for key, value := range m.(map[string]any) {
		if !strings.HasPrefix(key, "tsunaro.io/") && key != "lb-pool" {
			out[key] = value.(string)
		}
	}
	return out
}

// No pool label can bring such a key in.
//
// REQ: RN-04
func TestB15PoolLabels(t *testing.T) {
	keys := []string{
		"kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name", "argocd.argoproj.io/instance",
		"app.kubernetes.io/instance", "tsunaro.io/gateway-uid", "sub.tsunaro.io/anything",
	}
	for _, key := range keys {
		l := kustomize.Base().With(edited(t, "gateway.yaml", "lb-pool: lan", key+": mine"))
		render(t, l).Refused(t, "pool-label-owned TailnetGateway/gw1 spec.poolLabels["+key+"]")
	}
}

// A transformer that takes an opt-out away, or adds a key of an engine, is seen.
//
// REQ: RN-09
func TestB15Overridden(t *testing.T) {
	for _, c := range []struct{ annotation, path string }{
		{"kustomize.toolkit.fluxcd.io/prune: enabled", "metadata.annotations[kustomize.toolkit.fluxcd.io/prune]"},
		{"kustomize.toolkit.fluxcd.io/force: enabled", "metadata.annotations[kustomize.toolkit.fluxcd.io/force]"},
		{"argocd.argoproj.io/sync-options: Replace=true", "metadata.annotations[argocd.argoproj.io/sync-options]"},
		{"argocd.argoproj.io/compare-options: None", "metadata.annotations[argocd.argoproj.io/compare-options]"},
		{"kustomize.toolkit.fluxcd.io/ssa: Ignore", "metadata.annotations[kustomize.toolkit.fluxcd.io/ssa]"},
		{"argocd.argoproj.io/hook: Sync", "metadata.annotations[argocd.argoproj.io/hook]"},
		{"argocd.argoproj.io/tracking-id: mine", "metadata.annotations[argocd.argoproj.io/tracking-id]"},
	} {
		l := generator()
		l["kustomization.yaml"] += "commonAnnotations: {" + c.annotation + "}\n"
		dir := l.Write(t)
		on := 0
		for _, line := range failures(t, dir, dir) {
			if strings.HasSuffix(line, " "+c.path) && !strings.Contains(line, "template") {
				on++
			}
		}
		if on != 9 {
			t.Errorf("%s: seen on %d of the nine", c.annotation, on)
		}
	}
}
