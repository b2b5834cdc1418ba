package tool

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// flags make the same sources the same bytes: no path of this machine, no state
// of the repository, no symbol table.
func (r recipe) flags() []string {
	f := []string{"-trimpath", "-buildvcs=false", strings.TrimSpace("-ldflags=-s -w " + r.ldflags)}
	if r.cgo != nil {
		f[2] += " -linkmode=external -extldflags=-static"
	}
	if r.tags != "" {
		f = append(f, "-tags="+r.tags)
	}
	return f
}

// builder builds the programs of one source tree into one cache directory.
type builder struct {
	root             string // of the product's module
	cache            string
	goVersion        string
	hostOS, hostArch string
	log              io.Writer
	live             bool // log is a terminal: the elapsed time ticks
}

// recipe is all that decides the bytes of one executable.
type recipe struct {
	name         string // of the program, and of its directory in the cache
	file         string // name of the executable
	dir          string // that the go command runs in
	pkg          string
	goos, goarch string
	tags         string   // build tags, separated by commas
	ldflags      string   // beside those of every build
	cgo          *library // nil for a program of Go alone
	files        []string // absolute
}

func (b *builder) tool(p program) (string, error) {
	r, err := b.toolRecipe(p)
	if err != nil {
		return "", err
	}
	return b.build(r)
}

// toolRecipe takes every file of the tool's module: they are few, and go.sum
// stands for all that is not in the tree.
func (b *builder) toolRecipe(p program) (recipe, error) {
	r := recipe{
		name: p.name, file: cmp.Or(p.file, p.name), dir: filepath.Join(b.root, "test", "tools", p.module), pkg: p.pkg,
		goos: b.hostOS, goarch: b.hostArch, tags: p.tags, cgo: p.cgo,
	}
	if p.stamp != nil {
		version, err := pinned(r.dir, p.pkg)
		if err != nil {
			return recipe{}, err
		}
		r.ldflags = p.stamp(version)
	}
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			r.files = append(r.files, path)
		}
		return err
	})
	return r, err
}

// product builds one of the product's programs. Its files are the product's own sources that it is
// made of, as the go command lists them.
func (b *builder) product(name, goos, goarch string) (string, error) {
	r := recipe{name: name, file: name, dir: b.root, pkg: own[name], goos: goos, goarch: goarch}
	const own = `{{with .Module}}{{if .Main}}{{$.Dir}}
{{range $.GoFiles}}{{$.Dir}}/{{.}}
{{end}}{{range $.EmbedFiles}}{{$.Dir}}/{{.}}
{{end}}{{end}}{{end}}`
	out, err := run(r.dir, r.env(), "list", "-deps", "-f", own, r.pkg)
	if err != nil {
		return "", err
	}
	r.files = []string{filepath.Join(b.root, "go.mod"), filepath.Join(b.root, "go.sum")}
	for path := range strings.FieldsFuncSeq(string(out), func(c rune) bool { return c == '\n' }) {
		if info, err := os.Stat(path); err != nil {
			return "", err
		} else if !info.IsDir() {
			r.files = append(r.files, path)
		} else if _, err := os.ReadDir(path); err != nil { // tells go test's result cache to watch for new files
			return "", err
		}
	}
	return b.build(r)
}

// env leaves nothing of the build to the user's own settings.
func (r recipe) env() []string {
	env := []string{"CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOOS=" + r.goos, "GOARCH=" + r.goarch}
	if r.cgo != nil {
		env = append(env, "CGO_ENABLED=1", "CC=gcc")
	}
	return env
}

// path is where the cache holds the executable. Its directory is named by a hash
// of the recipe; the file has the plain name, so that the directory can be put
// on a PATH.
func (b *builder) path(r recipe) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, b.goVersion, r.goos, r.goarch, r.pkg, r.flags())
	for _, file := range r.files {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) { // a module without dependencies has no go.sum
			continue
		}
		if err != nil {
			return "", err
		}
		name, err := filepath.Rel(r.dir, file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %x\n", name, sha256.Sum256(data))
	}
	return b.place(r.name, r.file, [32]byte(h.Sum(nil))), nil
}

// build returns the executable's path and makes sure that it is there.
func (b *builder) build(r recipe) (string, error) {
	path, err := b.path(r)
	if err != nil {
		return "", err
	}
	return b.keep(r.name, path, func(part string) error {
		if err := b.compile(r, part, path); err != nil {
			return fmt.Errorf("building %s: %w", r.name, err)
		}
		return nil
	})
}

// compile builds to part what is to be at path.
func (b *builder) compile(r recipe, part, path string) (err error) {
	version, err := pinned(r.dir, r.pkg)
	if err != nil {
		return err
	}
	if r.cgo != nil {
		if err := r.cgo.check(); err != nil {
			return err
		}
	}
	title := strings.TrimSpace(r.name + " " + version)
	if r.goos != b.hostOS || r.goarch != b.hostArch {
		title += " for " + r.goos + "/" + r.goarch
	}
	done := progress(b.log, b.live, title)
	defer func() { done(err) }()

	work := path + ".work" // where a killed build's files are found and removed by the next
	if err := errors.Join(os.RemoveAll(work), os.Mkdir(work, 0o755)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	args := append([]string{"build", "-o", part}, r.flags()...)
	if _, err := run(r.dir, append(r.env(), "TMPDIR="+work), append(args, r.pkg)...); err != nil {
		return err
	}
	if now, err := b.path(r); err != nil || now != path { // or the name would lie for ever
		return errors.Join(errors.New("its sources changed meanwhile: start again"), err)
	}
	return nil
}
