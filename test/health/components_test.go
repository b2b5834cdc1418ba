package health

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/kustomize"
)

// built is what comes of a user's kustomization with a component of ours.
func built(t *testing.T, resource, component string) kustomize.Objects {
	t.Helper()
	l := kustomize.Layer{"resource.yaml": resource}
	dir := l.Write(t)
	absolute, err := filepath.Abs(filepath.Join(root, component))
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(dir, absolute)
	if err != nil {
		t.Fatal(err)
	}
	l["kustomization.yaml"] = "resources: [resource.yaml]\ncomponents: [" + relative + "]\n"
	return kustomize.Parse(t, kustomize.Build(t, l.Write(t)).Must(t).Stdout)
}

const userSettings = `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data: {kustomize.buildOptions: --enable-alpha-plugins --enable-exec}
`

// TestArgoCDComponent: a user's argocd-cm gets the scripts that are tested, and keeps
// its own settings.
//
// REQ: ST-05
func TestArgoCDComponent(t *testing.T) {
	data := settings(t, built(t, userSettings, "argocd"))
	if data["kustomize.buildOptions"] != "--enable-alpha-plugins --enable-exec" || len(data) != 5 {
		t.Errorf("%d settings, with %v", len(data), data["kustomize.buildOptions"])
	}
	for kind, names := range map[string][]string{api.KindTailnetGateway: {"verify", "suspend", "resume"}, api.KindTailnet: {"verify"}} {
		scripts := corpus.Customizations + "/" + kind
		if data["resource.customizations.health.tsunaro.io_"+kind] != string(read(t, scripts+"/health.lua")) {
			t.Errorf("%s: another health script", kind)
		}
		var menu struct {
			Discovery   string `json:"discovery.lua"`
			Definitions []struct {
				Name   string `json:"name"`
				Script string `json:"action.lua"`
			} `json:"definitions"`
		}
		if err := yaml.UnmarshalStrict([]byte(data["resource.customizations.actions.tsunaro.io_"+kind]), &menu); err != nil {
			t.Fatal(err)
		}
		if menu.Discovery != string(read(t, scripts+"/actions/discovery.lua")) {
			t.Errorf("%s: another menu", kind)
		}
		var got []string
		for _, d := range menu.Definitions {
			got = append(got, d.Name)
			if d.Script != string(read(t, scripts+"/actions/"+d.Name+"/action.lua")) {
				t.Errorf("%s: another %s", kind, d.Name)
			}
		}
		if !slices.Equal(got, names) {
			t.Errorf("%s: actions %v, want %v", kind, got, names)
		}
	}
}

// settings is the data of argocd-cm.
func settings(t *testing.T, objects kustomize.Objects) map[string]string {
	t.Helper()
	data, ok := kustomize.At(objects["ConfigMap/argocd/argocd-cm"], "data")
	if !ok {
		t.Fatalf("no argocd-cm among %v", objects.Names())
	}
	all := map[string]string{}
	for key, value := range data.(map[string]any) {
		all[key] = value.(string)
	}
	return all
}

// TestIgnoreDifferences: every kind of the nine has its UIDs left alone, and nobody
// else's ConfigMap is.
//
// REQ: DL-07, RN-09
func TestIgnoreDifferences(t *testing.T) {
	data := settings(t, built(t, userSettings, "argocd/ignore-differences"))
	if len(data) != 8 {
		t.Errorf("%d settings, want 7 kinds and the user's own", len(data))
	}
	for key, text := range data {
		kind, ok := strings.CutPrefix(key, "resource.customizations.ignoreDifferences.")
		if !ok {
			continue
		}
		var d struct {
			Pointers []string `json:"jsonPointers"`
			Queries  []string `json:"jqPathExpressions"`
		}
		if err := yaml.UnmarshalStrict([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"gateway-uid", "state-uid"} {
			if !slices.Contains(d.Pointers, "/metadata/labels/tsunaro.io~1"+label) {
				t.Errorf("%s: %v", kind, d.Pointers)
			}
		}
		for _, p := range d.Pointers {
			if !strings.Contains(p, "/tsunaro.io~1") {
				t.Errorf("%s: %s is anybody's", kind, p)
			}
		}
		for _, q := range d.Queries {
			if !strings.HasPrefix(q, `select(.metadata.labels["tsunaro.io/gateway"] != null) | `) {
				t.Errorf("%s: %s is anybody's", kind, q)
			}
		}
		if (len(d.Queries) > 0) != (kind == "ConfigMap") {
			t.Errorf("%s: queries %v", kind, d.Queries)
		}
	}
}

// TestFluxComponent: each Kustomization of Flux gets the expressions of its step, and
// others get none.
//
// REQ: ST-05
func TestFluxComponent(t *testing.T) {
	one := func(name, labels string) string {
		return `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: ` + name + `
  namespace: tsunaro-system
  labels: {` + labels + `}
spec: {interval: 10m}
`
	}
	objects := built(t, one("inputs", "tsunaro.io/health: bound")+"---\n"+one("nine", "tsunaro.io/health: ready")+"---\n"+one("apps", ""), "flux")
	for name, patch := range map[string]string{"inputs": "bound.yaml", "nine": "ready.yaml", "apps": ""} {
		object := objects["Kustomization/tsunaro-system/"+name]
		if interval, _ := kustomize.At(object, "spec.interval"); interval != "10m" {
			t.Errorf("%s: interval %v", name, interval)
		}
		got, there := kustomize.At(object, "spec.healthCheckExprs")
		if there != (patch != "") {
			t.Errorf("%s: %v", name, got)
		}
		if patch == "" {
			continue
		}
		want := decoded[map[string]any](t, "flux/"+patch)["spec"].(map[string]any)["healthCheckExprs"]
		for i, kind := range []string{api.KindTailnetGateway, api.KindTailnet} {
			is, should := got.([]any)[i].(map[string]any), want.([]any)[i].(map[string]any)
			if is["kind"] != kind || is["current"] != should["current"] || is["failed"] != should["failed"] || is["inProgress"] != should["inProgress"] {
				t.Errorf("%s: %s: %v", name, kind, is)
			}
		}
	}
}
