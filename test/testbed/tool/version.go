package tool

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
)

// Version returns the pinned version of a tool's module.
func Version(name string) (string, error) {
	_, m, err := origin(name)
	return m.Version, err
}

// Source returns the directory of the sources of a tool's module, which has what
// that publishes beside its program, such as CRDs. It downloads what the Go
// module cache lacks.
func Source(name string) (string, error) {
	dir, m, err := origin(name)
	if err != nil {
		return "", err
	}
	out, err := run(dir, nil, "mod", "download", "-json", m.Path)
	if err != nil {
		return "", err
	}
	var got struct{ Dir string }
	err = json.Unmarshal(out, &got)
	return got.Dir, err
}

// origin returns the directory under test/tools that a tool is built in, and the
// module that it comes from.
func origin(name string) (dir string, m module, err error) {
	b, err := current()
	if err != nil {
		return "", module{}, err
	}
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == name })
	if i < 0 {
		return "", module{}, fmt.Errorf("no tool %q", name)
	}
	dir = filepath.Join(b.root, "test", "tools", programs[i].module)
	m, err = holder(dir, programs[i].pkg)
	return dir, m, err
}
