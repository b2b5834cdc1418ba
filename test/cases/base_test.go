package cases

import (
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// The objects of the gateway gw1 that cases speak of.
const (
	statefulSet = "StatefulSet/tsunaro-system/gw1"
	coreDNS     = "ConfigMap/tsunaro-system/gw1-coredns"
	lb          = "Service/tsunaro-system/gw1-lb"
)

// transformer and generator are the base inputs with both forms of the function.
func transformer() kustomize.Layer {
	return kustomize.Base().With(kustomize.Layer{
		"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml, egress.yaml, hosts.yaml]\ntransformers: [render.yaml]\n",
	})
}

func generator() kustomize.Layer {
	return kustomize.Base().With(kustomize.Layer{"kustomization.yaml": "generators: [generate.yaml]\n"})
}

// forms are both, by name.
var forms = map[string]func() kustomize.Layer{"transformer": transformer, "generator": generator}

// gateway is gateway.yaml of the base with more lines of its spec.
func gateway(spec string) kustomize.Layer {
	return kustomize.Layer{"gateway.yaml": kustomize.Base()["gateway.yaml"] + spec}
}

// edited is a file of the base with one text in place of another.
func edited(t testing.TB, file, old, text string) kustomize.Layer {
	t.Helper()
	have := kustomize.Base()[file]
	if !strings.Contains(have, old) {
		t.Fatalf("%s does not hold %q", file, old)
	}
	return kustomize.Layer{file: strings.Replace(have, old, text, 1)}
}

// render runs the plain command on a layer.
func render(t testing.TB, l kustomize.Layer) kustomize.Result {
	t.Helper()
	return kustomize.Function(t, kustomize.Cmd{Args: []string{"render", "."}, Dir: l.Write(t)})
}

// str returns the text at a path of an object, which must be there.
func str(t testing.TB, object any, path string) string {
	t.Helper()
	value, ok := kustomize.At(object, path)
	text, isText := value.(string)
	if !ok || !isText {
		t.Fatalf("%s is %v (%T), not text", path, value, value)
	}
	return text
}

// env returns the variables of the tailscale container that have a value.
func env(t testing.TB, objects kustomize.Objects) map[string]string {
	t.Helper()
	list, _ := kustomize.At(kustomize.Container(t, objects[statefulSet], "tailscale"), "env")
	vars := map[string]string{}
	for _, e := range list.([]any) {
		if _, ok := kustomize.At(e, "value"); ok {
			vars[str(t, e, "name")] = str(t, e, "value")
		}
	}
	return vars
}
