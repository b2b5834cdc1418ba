package argocd

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/page"
)

// below is a directory of the examples.
func below(t *testing.T, dir string) kustomize.Layer {
	t.Helper()
	l, files := kustomize.Layer{}, os.DirFS(filepath.Join(examples, dir))
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		l[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// contained is a layer whose functions are what examples/argocd/README.md says instead
// of programs.
func contained(t *testing.T, l kustomize.Layer) kustomize.Layer {
	t.Helper()
	image := page.Page(filepath.Join(examples, "argocd/README.md")).Block(t, "yaml", "container:")
	l = l.With(nil)
	for name, text := range l {
		l[name] = strings.ReplaceAll(text, "    config.kubernetes.io/function: |\n      exec:\n        path: tsunaro-fn\n", image)
	}
	return l
}

// gateway is one, in a layer with more of a kustomization file.
func gateway(more string) kustomize.Layer {
	return kustomize.Base().With(kustomize.Layer{
		"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml, egress.yaml, hosts.yaml]\n" + more,
	})
}

const transformed = "transformers: [render.yaml]\n"

// What comes out is what kustomize gives that runs the program: with the custom
// resources, and without them.
//
// REQ: RN-10
func TestGenerate(t *testing.T) {
	own := gateway(transformed)
	own["render.yaml"] += "spec: {emit: Resources}\n"
	suspended := own.With(kustomize.Layer{"gateway.yaml": strings.Replace(own["gateway.yaml"], "suspend: false", "suspend: true", 1)})
	patched := gateway(transformed + "patches:\n- target: {kind: TailnetGateway}\n  patch: |-\n    - {op: replace, path: /spec/dns/serviceName, value: other}\n")
	for _, c := range []struct {
		why    string
		layer  kustomize.Layer
		dir    string
		inputs []string
	}{
		{"an example", below(t, "argocd/gateway"), "", nil},
		{"one that reads other directories", below(t, "several-gateways"), "cellar", []string{"../tailnet", "."}},
		{"without the custom resources", own, "", nil},
		{"nothing of a gateway that is suspended", suspended, "", nil},
		{"a custom resource that is patched", patched, "", nil},
		{"a generator", kustomize.Base().With(kustomize.Layer{"kustomization.yaml": "generators: [generate.yaml]\n"}), "", nil},
		{"a gateway's words in another object", own.With(kustomize.Layer{
			"kustomization.yaml": own["kustomization.yaml"] + "configMapGenerator:\n- name: words\n  literals: [\"words=kind: TailnetGateway\"]\n",
		}), "", nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			want := kustomize.Build(t, filepath.Join(c.layer.Write(t), c.dir)).Must(t)
			got := run(t, "generate.sh", filepath.Join(contained(t, c.layer).Write(t), c.dir), c.inputs...).Must(t)
			if strings.TrimSuffix(got.Stdout, "\n") != strings.TrimSuffix(want.Stdout, "\n") {
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
	base := gateway(transformed)
	empty := base.With(kustomize.Layer{"kustomization.yaml": "resources: []\n"})
	for _, c := range []struct {
		why    string
		layer  kustomize.Layer
		inputs []string
		says   string
	}{
		{"the function was not run", gateway(""), nil, "FAIL  TailnetGateway/gw1: nothing of it is in the build: the function did not run"},
		{"and nothing else came out", empty, []string{"tailnet.yaml", "gateway.yaml"}, "FAIL  TailnetGateway/gw1: nothing of it is in the build"},
		{"which only the directory tells", empty, nil, "FAIL  TailnetGateway/gw1: nothing of it is in the build"},
		{"a gateway's words in another object", empty.With(kustomize.Layer{
			"kustomization.yaml": "configMapGenerator:\n- name: words\n  literals: [\"words=kind: TailnetGateway\"]\n",
		}), nil, "FAIL  TailnetGateway/gw1: nothing of it is in the build"},
		{"nothing tells of a gateway", empty.Under("elsewhere").With(kustomize.Layer{"kustomization.yaml": "resources: [elsewhere]\n"}), nil, "[no-gateway]"},
		{"an input is refused", base.With(kustomize.Layer{
			"tailnet.yaml": strings.Replace(base["tailnet.yaml"], "https", "http", 1),
		}), nil, "[secure-url]"},
		{"one of the nine was patched", base.Under("inner").With(kustomize.Layer{
			"kustomization.yaml": "resources: [inner]\nreplicas: [{name: gw1, count: 2}]\n",
		}), nil, "FAIL  StatefulSet/tsunaro-system/gw1: spec.replicas"},
		{"a setting does not reach them", gateway(transformed + "images: [{name: ghcr.io/tailscale/tailscale, newTag: v1.2.3}]\n"), nil,
			"kustomization.yaml: images[0]: has no effect on the nine"},
		{"what the Application says is read is not there", base, []string{"elsewhere"}, "[input-file]"},
		{"nor is it a flag", base, []string{"--help"}, "[input-file]"},
		{"nor the build", base, []string{".", "-"}, "inputs[1] of the Application is neither a directory nor a file"},
		{"nor nothing", base, []string{"tailnet.yaml", "", "gateway.yaml"}, "inputs[1] of the Application is neither"},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := run(t, "generate.sh", contained(t, c.layer).Write(t), c.inputs...)
			if got.Code != 1 || got.Stdout != "" || !strings.Contains(got.Stderr, c.says) {
				t.Errorf("exit code %d, %d bytes, want 1, none and %q in\n%s", got.Code, len(got.Stdout), c.says, got.Stderr)
			}
		})
	}
}

// Nothing that a repository names is run, by any of the ways that kustomize has.
//
// REQ: RN-10
func TestGenerateRunsNoProgram(t *testing.T) {
	base := gateway(transformed)
	note := filepath.Join(t.TempDir(), "note") // what they would write
	function := func(spec string) kustomize.Layer {
		return base.With(kustomize.Layer{"render.yaml": strings.Replace(base["render.yaml"], "exec:\n        path: tsunaro-fn", spec, 1)})
	}
	program := function(`exec: {path: sh, args: [-c, "echo >` + note + `"]}`)
	other := gateway("transformers: [render.yaml, other.yaml]\n")
	other["other.yaml"] = "apiVersion: any/v1\nkind: ../../../../../../../../../../../../../../../../../../../../bin/sh\nmetadata: {name: x}\n"
	for _, c := range []struct {
		why   string
		layer kustomize.Layer
		says  string
	}{
		{"a program with arguments", program, "programs (exec) are not run"},
		{"the function as a program", base, "programs (exec) are not run"},
		{"an image", function("container: {image: registry.example/other:v1}"), "registry.example/other:v1: of images, only tsunaro-fn is run here"},
		{"an image that begins as the function's does", function("container: {image: registry.example/tsunaro-fn-other:v1}"), "of images, only tsunaro-fn is run here"},
		{"a plugin of kustomize's own", other, "unable to find plugin root"},
		{"a plugin below what the shell takes for home", other.With(kustomize.Layer{"~/.config/kustomize/plugin/a": "a"}), "unable to find plugin root"},
		{"a base from another repository", gateway(transformed + "components: [\"file:///base//dir?ref=main\"]\n"), "no 'git' program on path"},
		{"a chart", gateway(transformed + "helmCharts: [{name: a, repo: \"https://charts.example\"}]\n"), `exec: "helm": executable file not found`},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := run(t, "generate.sh", c.layer.Write(t))
			if got.Code != 1 || got.Stdout != "" || !strings.Contains(got.Stderr, c.says) {
				t.Errorf("exit code %d, %d bytes, want 1, none and %q in\n%s", got.Code, len(got.Stdout), c.says, got.Stderr)
			}
			if _, err := os.Stat(note); err == nil {
				t.Error("it was run")
			}
		})
	}
	kustomize.Build(t, program.Write(t))
	if _, err := os.Stat(note); err != nil {
		t.Errorf("that program does nothing where programs are run: %v", err)
	}
}
