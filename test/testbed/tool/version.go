package tool

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Version returns the pinned version of a tool's module.
func Version(name string) (string, error) {
	b, err := current()
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == name })
	if i < 0 {
		return "", fmt.Errorf("no tool %q", name)
	}
	return pinned(filepath.Join(b.root, "test", "tools", programs[i].module), programs[i].pkg)
}
