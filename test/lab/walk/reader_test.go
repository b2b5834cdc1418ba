//go:build lab && linux

package walk

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tool"
)

// clone is what a reader has of this repository, as far as the page needs it.
var clone = []string{"examples", "health/argocd", "health/flux", "minter/deploy", "policies/admission", "renderer/crd"}

// instead is what the reader of the test does in place of a line: there is no network
// to build with.
var instead = map[string]string{
	"make demo\n": `mkdir bin && cp "$BUILT"/* bin` + "\n",
}

// patience is for one block. The page's own time limits are longer.
const patience = 3 * time.Minute

// reader has one shell on the node for all of a walk.
type reader struct {
	*labtest.World
	dir string // what is the reader's: the clone, the home, and what the shell remembers
	env []string
}

// newReader is somebody with what the page says that is needed.
func newReader(w *labtest.World) *reader {
	w.Helper()
	r := &reader{World: w, dir: w.TempDir()}
	for _, d := range clone {
		if err := os.CopyFS(filepath.Join(r.dir, "clone", d), os.DirFS(w.Source(d))); err != nil {
			w.Fatal(err)
		}
	}
	r.has("home/.gitconfig", "[user]\n\tname = Reader\n\temail = reader@example\n")
	r.has("clone/headscale-ca.crt", string(w.Lab.Tailnet.CA()))
	r.has("shell", fmt.Sprintf("cd %q\n", filepath.Join(r.dir, "clone")))
	w.WriteKubeconfig(filepath.Join(r.dir, "kubeconfig"), apiserver.Admin)
	r.env = []string{
		"HOME=" + filepath.Join(r.dir, "home"), "EDITOR=true", // the examples' values are the lab's
		"KUBECONFIG=" + filepath.Join(r.dir, "kubeconfig"),
		"HEADSCALE_CONFIG=" + filepath.Join(w.Lab.Spec.HeadscaleOptions().Dir, "config.yaml"),
		"BUILT=" + r.built(),
	}
	return r
}

// has writes a file of the reader's.
func (r *reader) has(name, content string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.Fatal(err)
	}
}

// built is a directory with what make demo leaves in bin.
func (r *reader) built() string {
	r.Helper()
	dir := r.TempDir()
	for _, name := range []string{"kustomize", tool.FunctionName, tool.KubectlName} {
		path, err := tool.Path(name)
		if err != nil {
			r.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			r.Fatal(err)
		}
	}
	return dir
}

// walks does every block of a walk, and stops at the first that fails or prints
// something else than the page shows.
func (r *reader) walks(name string) {
	r.Helper()
	began := time.Now()
	for _, s := range walk(r, name) {
		for _, b := range s.blocks {
			since := time.Now()
			output, err := r.does(b)
			r.Logf("%s (%.1f s)\n%s\n%s", s.title, time.Since(since).Seconds(), b.commands, output)
			if err != nil {
				r.Fatalf("%s, step %s: %v", name, s.title, err)
			}
		}
	}
	r.Logf("%s took %.0f s", name, time.Since(began).Seconds())
}

// does runs a block in the shell, and returns what it prints.
func (r *reader) does(b block) (output string, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	commands := b.commands
	for line, own := range instead {
		commands = strings.ReplaceAll(commands, line, own)
	}
	shell := filepath.Join(r.dir, "shell")
	script := fmt.Sprintf("exec 2>&1\nset -euo pipefail\n. %[1]q\n%[2]s{ export -p; printf 'cd %%q\\n' \"$PWD\"; } > %[1]q\n", shell, commands)
	result, err := r.Lab.Run(ctx, lab.Command{Args: []string{"bash", "-c", script}, Env: r.env})
	switch {
	case err != nil:
		return "", err
	case result.Code != 0:
		return result.Stdout, fmt.Errorf("exit code %d", result.Code)
	case b.shown != "" && !as(b.shown, result.Stdout):
		return result.Stdout, fmt.Errorf("the page shows\n%s", b.shown)
	}
	return result.Stdout, nil
}
