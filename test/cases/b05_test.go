package cases

import (
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// B05: kustomize hands a generator its configuration twice, as functionConfig and
// as the first item; errors among the results are ignored when the exit code is 0.

// resourceList is what kustomize sends, with the annotations that it adds.
func resourceList(config string, items ...string) string {
	const noted = `
    annotations:
      config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/annotations-migration-resource-id: '0'
      internal.config.kubernetes.io/id: '1'
      config.k8s.io/id: '1'`
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, item := range items {
		item = strings.TrimRight(strings.ReplaceAll(item, "\n", "\n  "), " ")
		b.WriteString("- " + strings.Replace(item, "metadata:", "metadata:"+noted, 1))
	}
	b.WriteString("functionConfig:\n  " + strings.TrimRight(strings.ReplaceAll(config, "\n", "\n  "), " "))
	return b.String()
}

const config = `apiVersion: render.tsunaro.io/v1alpha1
kind: GatewayRender
metadata:
  name: generate
spec:
  inputs: [tailnet.yaml, gateway.yaml]
`

// run sends a ResourceList to the function, in the directory of the base inputs.
func run(t testing.TB, l kustomize.Layer, list string) kustomize.Result {
	t.Helper()
	return kustomize.Function(t, kustomize.Cmd{Dir: l.Write(t), Stdin: list})
}

// The configuration is not an input, and does not come out.
//
// REQ: RN-02, RN-10
func TestB05Twice(t *testing.T) {
	want := render(t, kustomize.Base().With(kustomize.Layer{"egress.yaml": "", "hosts.yaml": ""})).Must(t)
	names := kustomize.Parse(t, want.Stdout).Names()
	for why, list := range map[string]string{
		"as kustomize sends it":      resourceList(config, config),
		"without the repetition":     resourceList(config),
		"the repetition differs":     resourceList(config, strings.Replace(config, "spec:", "spec:\n  emit: All", 1)),
		"twice among the items even": resourceList(config, config, config),
	} {
		t.Run(why, func(t *testing.T) {
			out := run(t, kustomize.Base(), list).Must(t)
			kustomize.Same(t, kustomize.List(t, out.Stdout).Names(), names)
		})
	}
}

// A gateway as the configuration itself is refused with what to write instead.
//
// REQ: RN-10
func TestB05Bare(t *testing.T) {
	cr := kustomize.Base()["gateway.yaml"]
	const bare = "bare-config TailnetGateway/gw1"
	for _, c := range []struct {
		why, list string
		want      []string
	}{
		{"as kustomize sends it", resourceList(cr, cr), []string{bare, "generator-inputs TailnetGateway/gw1 spec.inputs"}},
		{"as a transformer", resourceList(cr, cr, kustomize.Base()["tailnet.yaml"]), []string{bare}},
	} {
		t.Run(c.why, func(t *testing.T) {
			out := run(t, kustomize.Base(), c.list)
			out.Refused(t, c.want...)
			if !strings.Contains(out.Stderr, "put a GatewayRender under transformers") {
				t.Errorf("no word on what to write instead:\n%s", out.Stderr)
			}
		})
	}
}

// An invalid CR ends with exit code 1 and nothing on stdout, wherever the CR comes
// from: there is no list whose results could be overlooked.
//
// REQ: RN-08, RN-13
func TestB05Invalid(t *testing.T) {
	const want = "lb-in-cidr TailnetGateway/gw1 spec.loadBalancerIP"
	bad := edited(t, "gateway.yaml", "loadBalancerIP: 198.51.100.53", "loadBalancerIP: 203.0.113.1")
	run(t, kustomize.Base().With(bad), resourceList(config, config)).Refused(t, want)
	run(t, kustomize.Base(), resourceList(strings.Replace(config, "  inputs: [tailnet.yaml, gateway.yaml]", "  emit: All", 1),
		kustomize.Base()["tailnet.yaml"], bad["gateway.yaml"])).Refused(t, want)
	for form, layer := range forms {
		t.Run(form, func(t *testing.T) { kustomize.Build(t, layer().With(bad).Write(t)).Refused(t, want) })
	}
	render(t, kustomize.Base().With(bad)).Refused(t, want)
}

// Two CRs of one name are refused, wherever the two are.
//
// REQ: RN-08
func TestB05SameName(t *testing.T) {
	const want = "duplicate-object TailnetGateway/gw1 metadata"
	second := strings.NewReplacer("198.51.100", "198.51.101", "tail.example", "two.example", "gw1-dns", "two-dns", "10.96.0.53", "10.96.0.54").
		Replace(kustomize.Base()["gateway.yaml"])
	both := kustomize.Layer{"second.yaml": second}

	render(t, kustomize.Base().With(both)).Refused(t, want)
	render(t, kustomize.Base().With(kustomize.Layer{"gateway.yaml": kustomize.Base()["gateway.yaml"] + "---\n" + second})).Refused(t, want)
	l := generator().With(both)
	l["generate.yaml"] = strings.Replace(l["generate.yaml"], "[tailnet.yaml", "[second.yaml, tailnet.yaml", 1)
	kustomize.Build(t, l.Write(t)).Refused(t, want)
	run(t, kustomize.Base(), resourceList(config, kustomize.Base()["gateway.yaml"])).Refused(t, want)

	l = transformer().With(both)
	l["kustomization.yaml"] = strings.Replace(l["kustomization.yaml"], "[tailnet.yaml", "[second.yaml, tailnet.yaml", 1)
	build := kustomize.Build(t, l.Write(t))
	if build.Refused(t); !strings.Contains(build.Stderr, "already registered id") {
		t.Errorf("kustomize itself does not refuse:\n%s", build.Stderr)
	}
}
