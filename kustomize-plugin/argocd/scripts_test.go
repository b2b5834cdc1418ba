package argocd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/tool"
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
	cmd := exec.CommandContext(t.Context(), "sh", path)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + programs(t) + string(os.PathListSeparator) + os.Getenv("PATH")}
	for i, in := range inputs {
		cmd.Env = append(cmd.Env, "PARAM_INPUTS_"+string(rune('0'+i))+"="+in)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return kustomize.Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}

// programs are the directories of kustomize and the function.
func programs(t *testing.T) string {
	t.Helper()
	var dirs []string
	for _, name := range []string{"kustomize", tool.FunctionName} {
		path, err := tool.Path(name)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, filepath.Dir(path))
	}
	return strings.Join(dirs, string(os.PathListSeparator))
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
	if r := run(t, "discover.sh", filepath.Join(examples, "several-gateways/cellar"), "../tailnet").Must(t); r.Stdout == "" {
		t.Error("a directory of which the Application says what is read")
	}
}

// What comes out is what kustomize gives: with the custom resources, and without them.
//
// REQ: RN-10
func TestGenerate(t *testing.T) {
	base := kustomize.Base().With(kustomize.Layer{
		"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml, egress.yaml, hosts.yaml]\ntransformers: [render.yaml]\n",
	})
	own := base.With(kustomize.Layer{"render.yaml": base["render.yaml"] + "spec: {emit: Resources}\n"})
	suspended := own.With(kustomize.Layer{"gateway.yaml": strings.Replace(own["gateway.yaml"], "suspend: false", "suspend: true", 1)})
	patched := base.With(kustomize.Layer{"kustomization.yaml": base["kustomization.yaml"] +
		"patches:\n- target: {kind: TailnetGateway}\n  patch: |-\n    - {op: replace, path: /spec/dns/serviceName, value: other}\n"})
	for _, c := range []struct {
		why, dir string
		inputs   []string
	}{
		{"an example", filepath.Join(examples, "argocd/gateway"), nil},
		{"one that reads other directories", filepath.Join(examples, "several-gateways/cellar"), []string{"../tailnet", "."}},
		{"without the custom resources", own.Write(t), nil},
		{"nothing of a gateway that is suspended", suspended.Write(t), nil},
		{"a custom resource that is patched", patched.Write(t), nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			want := kustomize.Build(t, c.dir).Must(t)
			if got := run(t, "generate.sh", c.dir, c.inputs...).Must(t); strings.TrimSuffix(got.Stdout, "\n") != strings.TrimSuffix(want.Stdout, "\n") {
				t.Errorf("not what kustomize gives, but\n%s\n%s", got.Stdout, got.Stderr)
			}
		})
	}
}

// A build that lacks the nine, or has them otherwise, is none: not a byte comes out,
// and the reason is the function's own.
//
// REQ: RN-10, RN-13
func TestGenerateRefuses(t *testing.T) {
	base := kustomize.Base()
	for _, c := range []struct {
		why    string
		layer  kustomize.Layer
		inputs []string
		says   string
	}{
		{"the function was not run", base.With(kustomize.Layer{
			"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml, egress.yaml, hosts.yaml]\n",
		}), nil, "FAIL  TailnetGateway/gw1: nothing of it is in the build: the function did not run"},
		{"and nothing else came out", base.With(kustomize.Layer{
			"kustomization.yaml": "resources: []\n",
		}), []string{"tailnet.yaml", "gateway.yaml"}, "FAIL  TailnetGateway/gw1: nothing of it is in the build"},
		{"an input is refused", base.With(kustomize.Layer{
			"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml]\ntransformers: [render.yaml]\n",
			"tailnet.yaml":       strings.Replace(base["tailnet.yaml"], "https", "http", 1),
		}), nil, "[secure-url]"},
		{"one of the nine was patched", base.Under("inner").With(kustomize.Layer{
			"inner/kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml]\ntransformers: [render.yaml]\n",
			"kustomization.yaml":       "resources: [inner]\nreplicas: [{name: gw1, count: 2}]\n",
		}), nil, "FAIL  StatefulSet/tsunaro-system/gw1: spec.replicas"},
		{"what the Application says is read is not there", base.With(kustomize.Layer{
			"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml]\ntransformers: [render.yaml]\n",
		}), []string{"elsewhere"}, "[input-file]"},
		{"nor is it a flag", base.With(kustomize.Layer{
			"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml]\ntransformers: [render.yaml]\n",
		}), []string{"--help"}, "[input-file]"},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := run(t, "generate.sh", c.layer.Write(t), c.inputs...)
			if got.Code != 1 || got.Stdout != "" || !strings.Contains(got.Stderr, c.says) {
				t.Errorf("exit code %d, %d bytes, want 1, none and %q in\n%s", got.Code, len(got.Stdout), c.says, got.Stderr)
			}
		})
	}
}
