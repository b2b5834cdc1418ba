//go:build lab && linux

package walk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tool"
)

// patience is for one block. The page's own time limits are longer.
const patience = 4 * time.Minute

// reader has one shell on the node for all of a walk. Nothing on the page is replaced:
// the examples' values are the lab's.
type reader struct {
	*labtest.World
	dir string // what is the reader's: a clone, a home, and what the shell remembers
	env []string
}

// newReader is somebody with what the page says that is needed.
func newReader(w *labtest.World) *reader {
	w.Helper()
	r := &reader{World: w, dir: w.TempDir()}
	r.clones()
	r.write("clone/headscale-ca.crt", string(w.Lab.Tailnet.CA()))
	r.write("home/.gitconfig", "[user]\n\tname = Reader\n\temail = reader@example.com\n")
	kubeconfig := filepath.Join(r.dir, "kubeconfig")
	w.WriteKubeconfig(kubeconfig, apiserver.Admin)
	r.env = append(r.goes(),
		"HOME="+filepath.Join(r.dir, "home"),
		"KUBECONFIG="+kubeconfig,
		"HEADSCALE_CONFIG="+filepath.Join(w.Lab.Spec.HeadscaleOptions().Dir, "config.yaml"),
		"EDITOR=true",
	)
	return r
}

// clones copies the source tree as it is now, but for what nobody clones.
func (r *reader) clones() {
	r.Helper()
	root := r.Source("")
	list, err := os.ReadDir(root)
	if err != nil {
		r.Fatal(err)
	}
	for _, e := range list {
		switch {
		case slices.Contains([]string{".git", ".cache", "bin"}, e.Name()):
		case e.IsDir():
			if err := os.CopyFS(filepath.Join(r.dir, "clone", e.Name()), os.DirFS(filepath.Join(root, e.Name()))); err != nil {
				r.Fatal(err)
			}
		default:
			text, err := os.ReadFile(filepath.Join(root, e.Name()))
			if err != nil {
				r.Fatal(err)
			}
			r.write(filepath.Join("clone", e.Name()), string(text))
		}
	}
}

// goes makes Go work for the reader, who has no network: it finds what the machine's
// caches hold. It puts into the shell where the walk begins.
func (r *reader) goes() (env []string) {
	r.Helper()
	for _, name := range []string{"kustomize", tool.FunctionName, tool.KubectlName} {
		if _, err := tool.Path(name); err != nil {
			r.Fatal(err)
		}
	}
	out, err := exec.CommandContext(r.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOROOT").Output()
	if err != nil {
		r.Fatal(err)
	}
	var is map[string]string
	if err := json.Unmarshal(out, &is); err != nil {
		r.Fatal(err)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		r.Fatal(err)
	}
	r.write("shell", fmt.Sprintf("PATH=\"$PATH:%s/bin\"\ncd %q\n", is["GOROOT"], filepath.Join(r.dir, "clone")))
	return []string{
		"GOCACHE=" + is["GOCACHE"], "GOMODCACHE=" + is["GOMODCACHE"], "GOFLAGS=" + is["GOFLAGS"], "GOPROXY=off",
		"TSUNARO_CACHE=" + cmp.Or(os.Getenv("TSUNARO_CACHE"), filepath.Join(caches, "tsunaro-gateway")),
	}
}

// write writes a file of the reader's.
func (r *reader) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
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

// script runs a block in a shell that goes on where another one ended, and remembers
// where it ends itself.
const script = `exec 2>&1
set -euo pipefail
. %[1]q
%[2]s
{ export -p; printf 'cd %%q\n' "$PWD"; } > %[1]q
`

// does runs a block, and returns what it prints.
func (r *reader) does(b block) (output string, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	text := fmt.Sprintf(script, filepath.Join(r.dir, "shell"), b.commands)
	result, err := r.Lab.Run(ctx, lab.Command{Args: []string{"bash", "-c", text}, Env: r.env})
	switch {
	case err != nil:
		return "", err
	case result.Code != 0:
		err = fmt.Errorf("exit code %d", result.Code)
	case b.shown != "" && !as(b.shown, result.Stdout):
		err = fmt.Errorf("the page shows\n%s", b.shown)
	}
	return result.Stdout, err
}
