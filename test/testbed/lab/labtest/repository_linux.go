package labtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tsunaro.io/gateway/test/testbed/lab"
)

// Repository is a clone of a repository of the lab's Git server, with the branch
// main. Its files may be changed as one likes between two pushes.
type Repository struct {
	URL string
	Dir string // of the clone, the same path inside of the lab and outside

	world *World
}

// Repository makes https://git.example/NAME.git, with one commit that holds
// directories of the source tree.
func (w *World) Repository(name string, directories ...string) *Repository {
	w.Helper()
	r := &Repository{"https://" + lab.GitName + "/" + name + ".git", filepath.Join(w.Lab.Spec.Dir, "repositories", name), w}
	for _, d := range directories {
		if err := os.CopyFS(filepath.Join(r.Dir, d), os.DirFS(w.Source(d))); err != nil {
			w.Fatal(err)
		}
	}
	r.git("init", "--quiet", r.Dir)
	r.git("-C", r.Dir, "remote", "add", "origin", r.URL)
	r.Push("begin")
	return r
}

// Write makes the text that of a file, whose directory may be new.
func (r *Repository) Write(path, text string) {
	r.world.Helper()
	file := filepath.Join(r.Dir, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.world.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.world.Fatal(err)
	}
}

// Edit replaces the one place in a file that has the old text.
func (r *Repository) Edit(path, old, text string) {
	r.world.Helper()
	before := r.Read(path)
	if strings.Count(before, old) != 1 {
		r.world.Fatalf("%s has %q %d times:\n%s", path, old, strings.Count(before, old), before)
	}
	r.Write(path, strings.Replace(before, old, text, 1))
}

// Append adds text to the end of a file.
func (r *Repository) Append(path, text string) {
	r.world.Helper()
	r.Write(path, r.Read(path)+text)
}

// Read is the text of a file.
func (r *Repository) Read(path string) string {
	r.world.Helper()
	text, err := fs.ReadFile(os.DirFS(r.Dir), path)
	if err != nil {
		r.world.Fatal(err)
	}
	return string(text)
}

// Remove removes a file or a directory.
func (r *Repository) Remove(path string) {
	r.world.Helper()
	if err := os.RemoveAll(filepath.Join(r.Dir, path)); err != nil {
		r.world.Fatal(err)
	}
}

// Push commits all that has changed, pushes it, and returns the commit.
func (r *Repository) Push(message string) (commit string) {
	r.world.Helper()
	r.git("-C", r.Dir, "add", "--all")
	r.git("-C", r.Dir, "commit", "--quiet", "--allow-empty", "--message="+message)
	r.git("-C", r.Dir, "push", "--quiet", "origin", "HEAD:main")
	return strings.TrimSpace(r.git("-C", r.Dir, "rev-parse", "HEAD"))
}

func (r *Repository) git(args ...string) string {
	r.world.Helper()
	return r.world.Run("git", args...)
}

// In is the same repository for a subtest.
func (r *Repository) In(w *World) *Repository {
	return &Repository{r.URL, r.Dir, w}
}
