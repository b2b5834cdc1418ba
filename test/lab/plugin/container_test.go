//go:build lab && linux

package plugin

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// dockerArgs is how kustomize runs an image: no network, nobody, no file.
var dockerArgs = []string{
	"run", "--rm", "-i", "-a", "STDIN", "-a", "STDOUT", "-a", "STDERR", "--network", "none",
	"--user", "nobody", "--security-opt=no-new-privileges",
	"-e", "LOG_TO_STDERR=true", "-e", "STRUCTURED_RESULTS=true", functionImage,
}

// node runs programs of the lab's node in a directory, with this package's docker.
type node struct {
	*labtest.World
	bin string // with docker
}

func newNode(t *testing.T) node {
	w := labtest.New(t, theLab)
	bin := filepath.Join(w.TempDir(), "bin")
	if err := os.CopyFS(bin, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	return node{w, bin}
}

// run runs a program in a directory.
func (n node) run(dir, stdin string, args ...string) lab.Result {
	n.Helper()
	ctx, cancel := context.WithTimeout(n.Context(), labtest.Deadline)
	defer cancel()
	r, err := n.Lab.Run(ctx, lab.Command{
		Args:  append([]string{"sh", "-c", `PATH="$0:$PATH" && cd "$1" && shift && exec "$@"`, n.bin, dir}, args...),
		Stdin: stdin,
	})
	if err != nil {
		n.Fatal(err)
	}
	return r
}

// asked is how docker was called.
func (n node) asked() []string {
	n.Helper()
	text, err := os.ReadFile(filepath.Join(n.bin, "docker.args"))
	if err != nil {
		n.Fatalf("docker was not called: %v", err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// The image is the program: the same bytes on both outputs and the same exit code, for
// what it renders and what it refuses.
//
// REQ: RN-10, RN-01
func TestImage(t *testing.T) {
	n := newNode(t)
	codes := map[int]int{}
	same := func(why string, want, got lab.Result) {
		t.Helper()
		if want != got {
			t.Errorf("%s: exit code %d, %d and %d bytes, not %d, %d and %d\n%s", why,
				got.Code, len(got.Stdout), len(got.Stderr), want.Code, len(want.Stdout), len(want.Stderr), got.Stderr)
		}
		codes[want.Code]++
	}
	inputs := map[string]string{"nothing": "", "no list": "kind: Secret\n"}
	const lists = "kustomize-plugin/function/testdata"
	files, err := os.ReadDir(n.Source(lists))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(n.Source(lists), f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		inputs[f.Name()] = string(text)
	}
	for why, in := range inputs {
		same(why, n.run(n.TempDir(), in, "tsunaro-fn"), n.run("/", in, append([]string{"docker"}, dockerArgs...)...))
	}
	if codes[0] < 2 || codes[1] < 2 {
		t.Errorf("it rendered and refused so often: %v", codes)
	}

	documents := n.run(n.Source("examples/flux/inputs"), "", "kustomize", "build", ".").Stdout
	same("the plain command, as the user whom the image names", n.run("/", documents, "tsunaro-fn", "render", "-"),
		n.run("/", documents, "docker", "run", "--rm", "-i", "--network", "none", functionImage, "render", "-"))
}

// The real kustomize runs the image, and gives what it gives with the program.
//
// REQ: RN-10, RN-13
func TestKustomizeRunsImage(t *testing.T) {
	base := kustomize.Base().With(kustomize.Layer{
		"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml, egress.yaml, hosts.yaml]\ntransformers: [render.yaml]\n",
	})
	refused := base.With(kustomize.Layer{"tailnet.yaml": strings.Replace(base["tailnet.yaml"], "https", "http", 1)})
	for _, c := range []struct {
		why   string
		layer kustomize.Layer
		code  int
	}{
		{"a gateway", base, 0},
		{"one whose input is refused", refused, 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			n := newNode(t)
			want := n.run(c.layer.Write(t), "", "kustomize", "build", "--enable-alpha-plugins", "--enable-exec", ".")
			contained := c.layer.With(kustomize.Layer{
				"render.yaml": strings.Replace(c.layer["render.yaml"], "exec:\n        path: tsunaro-fn", "container:\n        image: "+functionImage, 1),
			})
			got := n.run(contained.Write(t), "", "kustomize", "build", "--enable-alpha-plugins", ".")
			if got.Code != c.code || got.Code != want.Code || got.Stdout != want.Stdout || said(got) != said(want) {
				t.Errorf("exit code %d, with the program %d; not the same bytes:\n%s\n%s\nwant\n%s\n%s",
					got.Code, want.Code, got.Stdout, got.Stderr, want.Stdout, want.Stderr)
			}
			if c.code == 0 && len(kustomize.Parse(t, got.Stdout).Rendered()) != 9 {
				t.Error("not nine")
			}
			if args := n.asked(); !slices.Equal(args, dockerArgs) {
				t.Errorf("docker %q, want %q", args, dockerArgs)
			}
		})
	}
}

// said is what the function said, without what kustomize adds about how it ran it.
func said(r lab.Result) string {
	text, _, _ := strings.Cut(r.Stderr, "\nError: ")
	return text
}
