package tool

import (
	"os"
	"slices"
)

// Missing names the Debian packages that Path needs for a program, and that this
// machine lacks: none, where the cache holds the program.
func Missing(name string) ([]string, error) {
	if name == BusyboxName {
		if _, err := busybox(busyboxPath); err != nil {
			return []string{busyboxPackage}, nil
		}
		return nil, nil
	}
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == name })
	if i < 0 || programs[i].cgo == nil {
		return nil, nil
	}
	b, err := current()
	if err != nil {
		return nil, err
	}
	r, err := b.toolRecipe(programs[i])
	if err != nil {
		return nil, err
	}
	path, err := b.path(r)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err == nil {
		return nil, nil
	}
	return programs[i].cgo.missing(), nil
}
