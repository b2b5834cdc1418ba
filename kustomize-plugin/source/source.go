// Package source reads the files that a command line or a GatewayRender names.
package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// Files is where documents are read from: the whole file system for a command,
// and for the function no more than the directory that kustomize runs it in.
type Files fs.FS

// Below returns the files below a directory; nothing outside can be reached, by
// ".." or by a symbolic link.
func Below(dir string) (Files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return root.FS(), nil
}

// Read returns the documents of a file, or of every YAML and JSON file directly
// in a directory but for kustomization files.
func Read(files Files, name string) ([]document.Document, []rules.Finding) {
	names, err := expand(files, name)
	if err != nil {
		return nil, unreadable(name)
	}
	var (
		docs     []document.Document
		findings []rules.Finding
	)
	for _, n := range names {
		data, err := fs.ReadFile(files, n)
		if err != nil {
			findings = append(findings, unreadable(n)...)
			continue
		}
		d, f := document.Parse(n, data)
		docs, findings = append(docs, d...), append(findings, f...)
	}
	return docs, findings
}

func unreadable(name string) []rules.Finding {
	return []rules.Finding{{Rule: rules.InputFile, Source: name}}
}

// ReadArg is Read for an argument of a command line: "-" is standard input.
func ReadArg(stdin io.Reader, arg string) ([]document.Document, []rules.Finding) {
	if arg == "-" {
		data, err := io.ReadAll(stdin)
		if err != nil {
			return nil, unreadable("")
		}
		return document.Parse("", data)
	}
	return Read(anywhere{}, arg)
}

// anywhere opens names as the operating system does: relative to the working
// directory or absolute.
type anywhere struct{}

func (anywhere) Open(name string) (fs.File, error) { return os.Open(name) }

// Kustomizations are the names that kustomize reads its settings from.
var Kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

func expand(files Files, name string) ([]string, error) {
	f, err := files.Open(path.Clean(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{path.Clean(name)}, nil
	}
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if e.IsDir() || slices.Contains(Kustomizations, e.Name()) || ext != ".yaml" && ext != ".yml" && ext != ".json" {
			continue
		}
		names = append(names, path.Join(name, e.Name()))
	}
	slices.Sort(names)
	return names, nil
}
