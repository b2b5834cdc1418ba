package kustomize_test

import (
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

const (
	gatewayUID = "11111111-2222-4333-8444-555555555555"
	stateUID   = "66666666-7777-4888-8999-aaaaaaaaaaaa"

	registry = `apiVersion: v1
kind: ConfigMap
metadata: {name: tsunaro-bindings, namespace: tsunaro-system}
data:
  gw1_gateway_uid: ` + gatewayUID + `
  gw1_state_uid: ` + stateUID + `
  gw1_phase: open
`
)

// variant is the base layer as a transformer with files changed; extra names
// resources to add.
func variant(files kustomize.Layer, extra ...string) kustomize.Layer {
	l := transformer(row{}).With(files)
	l["kustomization.yaml"] = strings.Replace(l["kustomization.yaml"], "[tailnet.yaml", "["+strings.Join(append(extra, "tailnet.yaml"), ", "), 1)
	return l
}

func edited(file, old, text string) kustomize.Layer {
	return kustomize.Layer{file: strings.Replace(kustomize.Base()[file], old, text, 1)}
}

var resourcesOnly = kustomize.Layer{"render.yaml": kustomize.Base()["render.yaml"] + "spec: {emit: Resources}\n"}

// REQ: RN-13
func TestEmit(t *testing.T) {
	crs := []string{"ConfigMap/tsunaro-system/tailnet-dns-hosts", "Tailnet/home", "TailnetEgress/tsunaro-system/nas", "TailnetGateway/gw1"}
	other := kustomize.Layer{"other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"}
	for _, c := range []struct {
		why   string
		files kustomize.Layer
		want  []string // besides the nine
	}{
		{"all by default", other, append(crs, "ConfigMap/other")},
		{"emit: All", other.With(kustomize.Layer{"render.yaml": kustomize.Base()["render.yaml"] + "spec: {emit: All}\n"}), append(crs, "ConfigMap/other")},
		{"emit: Resources leaves out what was read, and nothing else", other.With(resourcesOnly), []string{"ConfigMap/other"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			objects := kustomize.Parse(t, kustomize.Build(t, variant(c.files, "other.yaml").Write(t)).Must(t).Stdout)
			rendered := objects.Rendered()
			if len(rendered) != 9 {
				t.Errorf("%d rendered objects, want 9", len(rendered))
			}
			kustomize.Same(t, slices.DeleteFunc(objects.Names(), func(n string) bool { return rendered[n] != nil }), c.want)
		})
	}
}

// A suspended gateway gives nothing, says so, and is no failure; the function not
// run is one.
//
// REQ: RN-13, LC-02
func TestSuspended(t *testing.T) {
	const line = "tsunaro-fn: TailnetGateway/gw1: is suspended"
	for _, c := range []struct{ why, old, text string }{
		{"suspend: true", "suspend: false", "suspend: true"},
		{"suspended by default", "  suspend: false\n", ""},
		{"null means the default", "suspend: false", "suspend: null"},
	} {
		t.Run(c.why, func(t *testing.T) {
			files := edited("gateway.yaml", c.old, c.text)
			for emit, files := range map[string]kustomize.Layer{"All": files, "Resources": files.With(resourcesOnly)} {
				dir := variant(files).Write(t)
				build := kustomize.Build(t, dir).Must(t)
				objects := kustomize.Parse(t, build.Stdout)
				if n := len(objects.Rendered()); n != 0 {
					t.Errorf("emit: %s: %d rendered objects", emit, n)
				}
				if _, ok := objects[gateway]; ok != (emit == "All") {
					t.Errorf("emit: %s: the TailnetGateway is there: %v", emit, ok)
				}
				if strings.Count(build.Stderr, line) != 1 {
					t.Errorf("emit: %s: want %q once in:\n%s", emit, line, build.Stderr)
				}
				check := kustomize.Check(t, build.Stdout, dir).Must(t)
				if !strings.Contains(check.Stdout, `"suspended"`) {
					t.Errorf("emit: %s: check-render says %s", emit, check.Stdout)
				}
			}
		})
	}
	t.Run("beside an active one", func(t *testing.T) {
		second := strings.NewReplacer("name: gw1", "name: gw2", "suspend: false", "suspend: true", "198.51.100", "198.51.101",
			"192.0.2.0/24", "203.0.113.128/25",
			"tail.example", "two.example", "gw1-dns", "gw2-dns", "10.96.0.53", "10.96.0.54").Replace(kustomize.Base()["gateway.yaml"])
		build := kustomize.Build(t, variant(kustomize.Layer{"second.yaml": second}, "second.yaml").Write(t)).Must(t)
		if n := len(kustomize.Parse(t, build.Stdout).Rendered()); n != 9 {
			t.Errorf("%d rendered objects, want the 9 of gw1", n)
		}
		if !strings.Contains(build.Stderr, "TailnetGateway/gw2: is suspended") || strings.Contains(build.Stderr, "gw1") {
			t.Errorf("stderr names not gw2 alone:\n%s", build.Stderr)
		}
	})
}

// REQ: RN-13, RN-08
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		why   string
		layer kustomize.Layer
		want  []string
	}{
		{"everything that is wrong, at once", variant(edited("gateway.yaml", "198.51.100.53", "192.0.2.1").With(edited("tailnet.yaml", "https", "http"))),
			[]string{"lb-in-cidr TailnetGateway/gw1 spec.loadBalancerIP", "secure-url Tailnet/home spec.controlURL"}},
		{"no gateway", variant(kustomize.Layer{"gateway.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"}), []string{"no-gateway input"}},
		{"a gateway as function configuration", kustomize.Base().With(kustomize.Layer{
			"kustomization.yaml": "generators: [gateway.yaml]\n",
			"gateway.yaml": strings.Replace(kustomize.Base()["gateway.yaml"], "  name: gw1\n",
				"  name: gw1\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: tsunaro-fn}\n", 1),
		}), []string{"bare-config TailnetGateway/gw1", "generator-inputs TailnetGateway/gw1 spec.inputs"}},
		{"a generator without inputs", kustomize.Base().With(kustomize.Layer{
			"kustomization.yaml": "generators: [render.yaml]\n",
		}), []string{"generator-inputs GatewayRender/render spec.inputs"}},
		{"inputs outside of the layer", kustomize.Base().With(kustomize.Layer{
			"kustomization.yaml": "generators: [generate.yaml]\n",
			"generate.yaml":      strings.Replace(kustomize.Base()["generate.yaml"], "[tailnet.yaml", "[../tailnet.yaml", 1),
		}), []string{"input-file GatewayRender/generate spec.inputs[0]"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			kustomize.Build(t, c.layer.Write(t)).Refused(t, c.want...)
		})
	}
}

// Warnings are on stderr, where kustomize lets them through; it drops results.
//
// REQ: RN-13
func TestWarned(t *testing.T) {
	build := kustomize.Build(t, variant(edited("egress.yaml", "203.0.113.7", "192.0.2.7")).Write(t)).Must(t)
	if n := strings.Count(build.Stderr, "tsunaro-fn: warning: TailnetEgress/tsunaro-system/nas: spec.targets: lies inside another route"); n != 1 {
		t.Errorf("the warning is there %d times:\n%s", n, build.Stderr)
	}
	if n := len(kustomize.Parse(t, build.Stdout).Rendered()); n != 9 {
		t.Errorf("%d rendered objects, want 9", n)
	}
}

// A copy of the bindings registry among the items binds, and is not applied.
//
// REQ: RN-05, RN-13
func TestRegistryCopy(t *testing.T) {
	for emit, files := range map[string]kustomize.Layer{"All": {"registry.yaml": registry}, "Resources": resourcesOnly.With(kustomize.Layer{"registry.yaml": registry})} {
		build := kustomize.Build(t, variant(files, "registry.yaml").Write(t)).Must(t)
		objects := kustomize.Parse(t, build.Stdout)
		if _, ok := objects["ConfigMap/tsunaro-system/tsunaro-bindings"]; ok {
			t.Errorf("emit: %s: the registry is in the build", emit)
		}
		for name, o := range objects.Rendered() {
			g, _ := kustomize.At(o, "metadata.labels[tsunaro.io/gateway-uid]")
			s, _ := kustomize.At(o, "metadata.labels[tsunaro.io/state-uid]")
			if g != gatewayUID || s != stateUID {
				t.Errorf("emit: %s: %s is bound to %v and %v", emit, name, g, s)
			}
		}
		if strings.Contains(build.Stdout, "${") || !strings.Contains(build.Stdout, gatewayUID) {
			t.Errorf("emit: %s: a placeholder is left", emit)
		}
	}
}

// What an earlier run rendered is replaced for a gateway of the input, and refused
// for any other: an engine would take its absence for a wish to prune.
//
// REQ: RN-13
func TestEarlierRendering(t *testing.T) {
	first := kustomize.Function(t, kustomize.Cmd{Dir: transformer(row{}).Write(t), Args: []string{"render", "."}}).Must(t).Stdout
	files := kustomize.Layer{"earlier.yaml": first}

	want := kustomize.Build(t, variant(nil).Write(t)).Must(t)
	if got := kustomize.Build(t, variant(files, "earlier.yaml").Write(t)).Must(t); got.Stdout != want.Stdout {
		t.Error("with an earlier rendering among the inputs something else comes out")
	}

	other := files.With(edited("gateway.yaml", "name: gw1", "name: gw2"))
	var refusals []string
	for _, name := range kustomize.Parse(t, first).Names() {
		refusals = append(refusals, "earlier-rendering "+name)
	}
	kustomize.Build(t, variant(other, "earlier.yaml").Write(t)).Refused(t, refusals...)
}
