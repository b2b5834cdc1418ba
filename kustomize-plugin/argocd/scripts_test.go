package argocd

import (
	"path/filepath"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

const examples = "../../examples"

// run runs a script in a directory as Argo CD does, with what an Application says is
// read.
func run(t *testing.T, script, dir string, inputs ...string) kustomize.Result {
	t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{} // and nothing of the test's own
	for i, in := range inputs {
		env = append(env, "PARAM_INPUTS_"+string(rune('0'+i))+"="+in)
	}
	return kustomize.Script(t, path, kustomize.Cmd{Dir: dir, Env: env})
}

// The plugin takes a directory that has a GatewayRender, in whatever form and file
// kustomize reads it from, and no other one.
//
// REQ: RN-10
func TestDiscover(t *testing.T) {
	for _, c := range []struct {
		why, file, text string
		found           bool
	}{
		{"in a file of its own", "render.yaml", "apiVersion: render.tsunaro.io/v1alpha1\nkind: GatewayRender\n", true},
		{"with another ending", "render.yml", "kind: GatewayRender", true},
		{"inside the kustomization file", "kustomization.yaml", "transformers:\n- |-\n  apiVersion: render.tsunaro.io/v1alpha1\n  kind: GatewayRender\n", true},
		{"which has another name", "Kustomization", "generators:\n- |-\n  kind: GatewayRender\n", true},
		{"in flow style", "render.yaml", "{apiVersion: render.tsunaro.io/v1alpha1, kind: GatewayRender, metadata: {name: render}}\n", true},
		{"as JSON", "render.json", "{\n  \"kind\" : \"GatewayRender\"}\n", true},
		{"with a comment behind it", "render.yaml", "kind: GatewayRender # ours\n", true},
		{"with the ends of lines of another system", "render.yaml", "kind: GatewayRender\r\n", true},
		{"a gateway that others render", "gateway.yaml", "kind: TailnetGateway\n", false},
		{"another kind", "render.yaml", "kind: GatewayRenderer\n", false},
		{"a comment", "kustomization.yaml", "# kind: GatewayRender\nresources: []\n", false},
		{"a file that kustomize does not read", "README.md", "kind: GatewayRender\n", false},
		{"a directory that has a file's name", "render.yaml/render.yaml", "kind: GatewayRender\n", false},
	} {
		t.Run(c.why, func(t *testing.T) {
			found := run(t, "discover.sh", kustomize.Layer{c.file: c.text, "-r.yaml": "kind: ConfigMap\n"}.Write(t)).Must(t)
			if (found.Stdout != "") != c.found || found.Stderr != "" {
				t.Errorf("%q and %q, want it found: %v", found.Stdout, found.Stderr, c.found)
			}
		})
	}
	if r := run(t, "discover.sh", t.TempDir()).Must(t); r.Stdout != "" {
		t.Errorf("an empty directory: %q", r.Stdout)
	}
	for _, input := range []string{"../tailnet", ""} {
		if r := run(t, "discover.sh", filepath.Join(examples, "several-gateways/cellar"), input).Must(t); r.Stdout == "" {
			t.Errorf("a directory of which the Application says that %q is read", input)
		}
	}
}
