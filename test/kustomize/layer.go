package kustomize

import (
	"embed"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// Layer is a directory for kustomize: text by slash-separated path below it.
type Layer map[string]string

//go:embed testdata/base/*.yaml
var base embed.FS

// Base returns the inputs of one active gateway: tailnet.yaml, gateway.yaml,
// egress.yaml and hosts.yaml, and beside them render.yaml and generate.yaml, the
// function's configuration as a transformer and as a generator.
func Base() Layer {
	l := Layer{}
	files, err := fs.Glob(base, "testdata/base/*.yaml")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range files {
		text, err := base.ReadFile(name)
		if err != nil {
			panic(err) // it was just listed
		}
		l[path.Base(name)] = string(text)
	}
	return l
}

// With returns a copy of the layer with some files added or replaced. An empty
// text leaves a file out.
func (l Layer) With(files Layer) Layer {
	out := maps.Clone(l)
	maps.Copy(out, files)
	maps.DeleteFunc(out, func(_, text string) bool { return text == "" })
	return out
}

// Under returns the layer as the directory dir of another one.
func (l Layer) Under(dir string) Layer {
	out := Layer{}
	for name, text := range l {
		out[path.Join(dir, name)] = text
	}
	return out
}

// Write puts the layer into a fresh directory and returns its path.
func (l Layer) Write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range l {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
