//go:build lab && linux

package plugin

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// What the directories of a repository are called.
const (
	gateway  = "examples/argocd/gateway"
	gateways = "examples/several-gateways"
	cellar   = gateways + "/cellar"
	plain    = "plain"    // holds a ConfigMap
	refused  = "refused"  // the gateway, with an input that the function refuses
	unlisted = "unlisted" // the gateway, with a GatewayRender that the kustomization file does not name
	program  = "program"  // the gateway, with a function that is a program
)

// named says that an Application is the plugin's.
func named(inputs ...any) labtest.Object {
	o := labtest.Object{"name": pluginName}
	if inputs != nil {
		o["parameters"] = []any{labtest.Object{"name": "inputs", "array": inputs}}
	}
	return o
}

// Argo CD has the gateway's objects from the plugin, byte by byte what kustomize gives,
// while no Application may run a program in its builds: neither elsewhere nor in the
// sidecar, where it could answer for other Applications.
//
// REQ: RN-10, RN-13, RN-08
func TestPlugin(t *testing.T) {
	w := labtest.New(t, theLab)
	w.Install()
	if flags := w.Must(apiserver.Admin, "", "get", "configmap", "argocd-cm", "--namespace="+namespace, "--output=jsonpath={.data}"); strings.Contains(flags, "buildOptions") {
		t.Fatalf("argocd-cm lets every Application run programs: %s", flags)
	}
	startSidecar(w)
	r := repository(w)
	t.Run("builds", func(t *testing.T) { builds(t, w, r) })
	t.Run("refuses", func(t *testing.T) { refuses(t, w, r) })
	t.Run("leaves", func(t *testing.T) { leaves(w.In(t), r) })
	if sockets := strings.Fields(w.Run("ls", "-A", lab.ArgoCDPlugins)); !slices.Equal(sockets, []string{pluginName + ".sock"}) {
		t.Errorf("plugins of Argo CD: %v", sockets)
	}
}

// builds looks at Applications whose objects are the plugin's.
func builds(t *testing.T, w *labtest.World, r *labtest.Repository) {
	for app, c := range map[string]struct {
		path   string
		plugin labtest.Object // of the Application's source; nil: it says nothing
	}{
		"discovered": {gateway, nil},
		"named":      {gateway, named()},
		"inputs":     {cellar, named("../tailnet", ".")},
	} {
		t.Run(app, func(t *testing.T) {
			w := w.In(t)
			apply(w, r, app, c.path, c.plugin)
			a := becomes(w, app, func(a application) bool { return len(a.Status.Resources) > 0 })
			if a.Status.SourceType != "Plugin" {
				t.Errorf("it is built as %s", a.Status.SourceType)
			}
			want := w.Objects(kustomize.Build(t, w.Source(c.path)).Must(t).Stdout)
			kustomize.Same(t, manifests(w, app), texts(w, want))
			if n := len(a.Status.Resources); n != len(want) || n < 9 {
				t.Errorf("the Application has %d resources, kustomize gives %d", n, len(want))
			}
		})
	}
}

// refuses looks at Applications that have no objects, and say why.
func refuses(t *testing.T, w *labtest.World, r *labtest.Repository) {
	const noPlugin = `could not find cmp-server plugin with name "` + pluginName + `" supporting the given repository`
	for app, c := range map[string]struct {
		path, says string
		plugin     labtest.Object
	}{
		"refused":  {refused, "Tailnet/home: spec.controlURL: must use https: http is for a loopback host, or needs spec.allowHTTP: true [secure-url]", nil},
		"unlisted": {unlisted, "FAIL  TailnetGateway/lab-gw: nothing of it is in the build: the function did not run", nil},
		"program":  {program, "programs (exec) are not run", nil},
		"no-input": {cellar, noPlugin, named()},
		"empty":    {cellar, "inputs[1] of the Application is neither a directory nor a file", named("../tailnet", "", ".")},
		"other":    {plain, noPlugin, named()},
	} {
		t.Run(app, func(t *testing.T) {
			w := w.In(t)
			apply(w, r, app, c.path, c.plugin)
			a := becomes(w, app, func(a application) bool { return strings.Contains(a.failure(), c.says) })
			if n := len(a.Status.Resources); n != 0 {
				t.Errorf("the Application has %d resources", n)
			}
		})
	}
}

// leaves looks at an Application that is none of the plugin's.
func leaves(w *labtest.World, r *labtest.Repository) {
	apply(w, r, plain, plain, nil)
	if a := becomes(w, plain, func(a application) bool { return len(a.Status.Resources) > 0 }); a.Status.SourceType != "Kustomize" {
		w.Errorf("a directory without a gateway is built as %s", a.Status.SourceType)
	}
}

// repository is one with all those directories.
func repository(w *labtest.World) *labtest.Repository {
	w.Helper()
	const exec, container = "exec:\n        path: tsunaro-fn\n", "container: {image: " + functionImage + "}\n"
	r := w.Repository("gateways", "examples/argocd", gateways)
	r.Edit(gateways+"/render/render.yaml", exec, container)
	r.Edit(gateway+"/render.yaml", exec, container)
	r.Write(plain+"/kustomization.yaml", "resources: [other.yaml]\n")
	r.Write(plain+"/other.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: default}\n")
	for _, dir := range []string{refused, unlisted, program} {
		for _, file := range []string{"tailnet.yaml", "gateway.yaml", "hosts.yaml", "render.yaml", "kustomization.yaml"} {
			r.Write(dir+"/"+file, r.Read(gateway+"/"+file))
		}
	}
	r.Edit(refused+"/tailnet.yaml", "https://", "http://")
	r.Edit(unlisted+"/kustomization.yaml", "transformers:\n- render.yaml\n", "")
	r.Edit(program+"/render.yaml", container, "exec: {path: sh, args: [-c, \"echo > /home/argocd/cmp-server/plugins/own.sock\"]}\n")
	r.Push("directories")
	return r
}

// manifests are an Application's, as Argo CD would apply them but for the mark of its
// own, each as JSON.
func manifests(w *labtest.World, app string) []string {
	w.Helper()
	var answer struct{ Manifests []string }
	ask(w, "/api/v1/applications/"+app+"/manifests", &answer)
	var objects []labtest.Object
	for _, text := range answer.Manifests {
		var o labtest.Object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			w.Fatal(err)
		}
		metadata := o["metadata"].(labtest.Object)
		annotations := metadata["annotations"].(labtest.Object)
		if delete(annotations, "argocd.argoproj.io/tracking-id"); len(annotations) == 0 {
			delete(metadata, "annotations")
		}
		objects = append(objects, o)
	}
	return texts(w, objects)
}

// texts are objects as JSON, whose keys are sorted.
func texts(w *labtest.World, objects []labtest.Object) (all []string) {
	w.Helper()
	for _, o := range objects {
		all = append(all, w.Text(o))
	}
	return all
}
