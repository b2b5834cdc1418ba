package cases

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/tool"
)

// B49: the function is not run at all, nothing says so, and an engine takes an
// empty build for a wish to delete.

const notRun = "not-run TailnetGateway/gw1"

// The sub-cases 1 to 5: which flags kustomize gets. kubectl kustomize has no flag
// for programs, so it can only do what the second and fourth row do.
//
// REQ: RN-13
func TestB49Flags(t *testing.T) {
	other := kustomize.Layer{"other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"}
	with := func(l kustomize.Layer) kustomize.Layer {
		l = l.With(other)
		if text := l["kustomization.yaml"]; strings.Contains(text, "resources:") {
			l["kustomization.yaml"] = strings.Replace(text, "[tailnet.yaml", "[other.yaml, tailnet.yaml", 1)
		} else {
			l["kustomization.yaml"] = text + "resources: [other.yaml]\n"
		}
		return l
	}
	alpha, both := []string{"--enable-alpha-plugins"}, kustomize.Flags
	for _, c := range []struct {
		why   string
		layer kustomize.Layer
		flags []string
		code  int
		lines int      // documents in the build
		check []string // failures
	}{
		{"1: generator, no flag", generator(), nil, 1, 0, []string{notRun}},
		{"2: generator, plugins without exec", generator(), alpha, 0, 0, []string{notRun}},
		{"4: generator, both", generator(), both, 0, 9, nil},
		{"5: generator beside a resource, plugins without exec", with(generator()), alpha, 0, 1, []string{notRun}},
		{"5: generator beside a resource, both", with(generator()), both, 0, 10, nil},
		{"1: transformer, no flag", transformer(), nil, 1, 0, []string{notRun}},
		{"2: transformer, plugins without exec", transformer(), alpha, 0, 4, []string{notRun}},
		{"4: transformer, both", transformer(), both, 0, 13, nil},
		{"5: transformer beside a resource, plugins without exec", with(transformer()), alpha, 0, 5, []string{notRun}},
		{"5: transformer beside a resource, both", with(transformer()), both, 0, 14, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			dir := c.layer.Write(t)
			build := kustomize.Kustomize(t, kustomize.Cmd{Args: append(append([]string{"build"}, c.flags...), dir)})
			if build.Code != c.code {
				t.Errorf("exit code %d, want %d:\n%s", build.Code, c.code, build.Stderr)
			}
			if n := len(kustomize.Parse(t, build.Stdout)); n != c.lines {
				t.Errorf("%d documents, want %d", n, c.lines)
			}
			checked(t, build, dir, c.check)
		})
	}
}

// checked runs check-render with the directory, and on a build that holds CRs also
// without: both must find the same.
func checked(t *testing.T, build kustomize.Result, dir string, want []string) {
	t.Helper()
	inputs := [][]string{{dir}}
	if strings.Contains(build.Stdout, "kind: TailnetGateway") {
		inputs = append(inputs, nil)
	}
	for _, in := range inputs {
		check := kustomize.Check(t, build.Stdout, in...)
		kustomize.Same(t, check.Failures(t, dir), want)
		if (check.Code == 0) != (len(want) == 0) {
			t.Errorf("check-render: exit code %d with %d failures", check.Code, len(want))
		}
	}
}

// The sub-case 6: kustomize does not know the function as one.
//
// REQ: RN-13
func TestB49Typo(t *testing.T) {
	for _, c := range []struct {
		old, text string
		code      int
	}{
		{"exec:", "execs:", 1},
		{"path:", "paths:", 1},
		{"config.kubernetes.io/function:", "config.kubernetes.io/functions:", 1},
		{"path: tsunaro-fn", "path: \"\"", 0},
		{"  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        path: tsunaro-fn\n", "", 1},
	} {
		for form, layer := range forms {
			t.Run(form+"/"+strings.TrimSpace(c.text), func(t *testing.T) {
				l := layer()
				for _, name := range []string{"render.yaml", "generate.yaml"} {
					l[name] = strings.Replace(l[name], c.old, c.text, 1)
				}
				dir := l.Write(t)
				build := kustomize.Build(t, dir)
				if build.Code != c.code {
					t.Errorf("exit code %d, want %d:\n%s", build.Code, c.code, build.Stderr)
				}
				if n := len(kustomize.Parse(t, build.Stdout).Rendered()); n != 0 {
					t.Errorf("%d rendered objects", n)
				}
				checked(t, build, dir, []string{notRun})
			})
		}
	}
}

// The sub-case 7: the program is not there or cannot be run.
//
// REQ: RN-13
func TestB49Program(t *testing.T) {
	function, err := tool.Path(tool.FunctionName)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(function)
	if err != nil {
		t.Fatal(err)
	}
	foreign := append([]byte(nil), program...)
	const machine = 18 // offset of e_machine in an ELF header
	binary.LittleEndian.PutUint16(foreign[machine:], 0xfeed)
	for _, c := range []struct {
		why  string
		text []byte
		mode os.FileMode
		code int
	}{
		{"there", program, 0o755, 0},
		{"missing", nil, 0, 1},
		{"not executable", program, 0o644, 1},
		{"for another processor", foreign, 0o755, 1},
		{"cut off", program[:len(program)/2], 0o755, 1},
		{"empty", []byte{}, 0o755, 1},
	} {
		for form, layer := range forms {
			t.Run(c.why+"/"+form, func(t *testing.T) {
				l := layer()
				for _, name := range []string{"render.yaml", "generate.yaml"} {
					l[name] = strings.Replace(l[name], "path: tsunaro-fn", "path: ./fn", 1)
				}
				dir := l.Write(t)
				if c.text != nil {
					if err := os.WriteFile(filepath.Join(dir, "fn"), c.text, c.mode); err != nil {
						t.Fatal(err)
					}
				}
				build := kustomize.Build(t, dir)
				if c.code == 0 {
					build.Must(t)
					checked(t, build, dir, nil)
					return
				}
				build.Refused(t) // by kustomize: there is no finding
				checked(t, build, dir, []string{notRun})
			})
		}
	}
}

// The sub-case 8: Flux runs no programs. What the example has it apply is there
// without any flag, and is what the inputs render to.
//
// REQ: RN-13, RN-09
func TestB49Flux(t *testing.T) {
	const flux = "../../examples/flux/"
	build := kustomize.Kustomize(t, kustomize.Cmd{Args: []string{"build", flux + "rendered"}}).Must(t)
	if n := len(kustomize.Parse(t, build.Stdout).Rendered()); n != 9 {
		t.Errorf("%d objects, want 9", n)
	}
	kustomize.Check(t, build.Stdout, flux+"inputs").Must(t)
	// Nothing in CI's place: the check sees it before Flux does.
	check := kustomize.Check(t, "", flux+"inputs")
	kustomize.Same(t, check.Failures(t, ""), []string{"not-run TailnetGateway/lab-gw"})
}

// The sub-case 9: Argo CD without --enable-exec sees CRs and somebody's object. The
// check sees that the nine are gone, and the nine themselves forbid to prune them.
//
// REQ: RN-13, RN-09
func TestB49Argo(t *testing.T) {
	const argo = "../../examples/argocd/gateway"
	build := kustomize.Kustomize(t, kustomize.Cmd{Args: []string{"build", "--enable-alpha-plugins", argo}}).Must(t)
	names := kustomize.Parse(t, build.Stdout).Names()
	kustomize.Same(t, names, []string{"ConfigMap/tsunaro-system/tailnet-dns-hosts", "Tailnet/home", "TailnetGateway/lab-gw"})
	checked(t, build, argo, []string{"not-run TailnetGateway/lab-gw"})

	right := kustomize.Build(t, argo).Must(t)
	checked(t, right, argo, nil)
	for name, o := range kustomize.Parse(t, right.Stdout).Rendered() {
		if options := str(t, o, "metadata.annotations[argocd.argoproj.io/sync-options]"); !strings.HasPrefix(options, "Prune=false,Delete=false") {
			t.Errorf("%s: %s", name, options)
		}
	}
}

// A set that is not whole fails as well: a check of the number alone would pass on
// eight of one gateway and ten of another.
//
// REQ: RN-02, RN-13
func TestB49Incomplete(t *testing.T) {
	dir := generator().Write(t)
	build := kustomize.Build(t, dir).Must(t)
	documents := strings.Split(build.Stdout, "\n---\n")
	if len(documents) != 9 {
		t.Fatalf("%d documents, want 9", len(documents))
	}
	for i, d := range documents {
		var one []string
		for name := range kustomize.Parse(t, d) {
			one = append(one, "missing "+name)
		}
		rest := append(append([]string(nil), documents[:i]...), documents[i+1:]...)
		check := kustomize.Check(t, strings.Join(rest, "\n---\n"), dir)
		kustomize.Same(t, check.Failures(t, dir), one)
		if check.Code != 1 {
			t.Errorf("without %v: exit code %d", one, check.Code)
		}
	}
}
