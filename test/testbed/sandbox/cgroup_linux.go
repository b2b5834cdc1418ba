package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const cgroups = "/sys/fs/cgroup"

// hierarchy is one tree of cgroups: the only one of version 2, or one of several
// of version 1, each with some of the controllers.
type hierarchy struct {
	mount       string // where it is mounted
	controllers string // as in the mount option of version 1; "" is version 2
	own         string // the path of this process's group in it
}

// hierarchies are those that are mounted below cgroups. A hybrid machine's tree
// of version 2 has no controllers and is left out.
func hierarchies() ([]hierarchy, error) {
	f, err := os.Open("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []hierarchy
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.SplitN(lines.Text(), ":", 3) // cgroups(7)
		if len(fields) != 3 {
			return nil, fmt.Errorf("/proc/self/cgroup: %q", lines.Text())
		}
		h := hierarchy{controllers: fields[1], own: fields[2]}
		h.mount = filepath.Join(cgroups, strings.TrimPrefix(fields[1], "name="))
		if _, err := os.Stat(filepath.Join(h.mount, "cgroup.procs")); err == nil {
			all = append(all, h)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no cgroups are mounted below " + cgroups)
	}
	return all, nil
}

// group is the directory of a sandbox's cgroup: within this process's own, whose
// limits it keeps.
func (h hierarchy) group(name string) string {
	return filepath.Join(h.mount, h.own, "tsunaro-lab-"+name)
}

// unified reports whether the hierarchy is one of version 2.
func (h hierarchy) unified() bool { return h.controllers == "" }

// enterGroups makes the sandbox's cgroups and moves this process into them.
func enterGroups(name string) ([]hierarchy, error) {
	all, err := hierarchies()
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		dir := h.group(name)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		// A new group of version 1 has no processors and may hold nothing.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			value, err := os.ReadFile(filepath.Join(filepath.Dir(dir), file))
			if err != nil || h.unified() {
				continue // another controller's
			}
			if err := os.WriteFile(filepath.Join(dir, file), value, 0o644); err != nil {
				return nil, err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(0)), 0o644); err != nil {
			return nil, fmt.Errorf("entering %s: %w", dir, err)
		}
	}
	return all, nil
}

// mountGroups shows the sandbox its own groups as if there were no others. The
// process must be in a new cgroup namespace.
func mountGroups(all []hierarchy) error {
	if len(all) == 1 && all[0].unified() {
		if err := syscall.Mount("cgroup2", cgroups, "cgroup2", 0, ""); err != nil {
			return fmt.Errorf("mounting cgroup2: %w", err)
		}
		return delegate()
	}
	if err := syscall.Mount("tmpfs", cgroups, "tmpfs", 0, "mode=0755"); err != nil {
		return fmt.Errorf("mounting %s: %w", cgroups, err)
	}
	for _, h := range all {
		if err := os.MkdirAll(h.mount, 0o755); err != nil {
			return err
		}
		options := h.controllers
		if strings.HasPrefix(options, "name=") {
			options = "none," + options
		}
		if err := syscall.Mount("cgroup", h.mount, "cgroup", 0, options); err != nil {
			return fmt.Errorf("mounting the cgroups of %s: %w", h.controllers, err)
		}
	}
	return nil
}

// delegate hands version 2's controllers down to groups that are made later. A
// group that does so may hold no process itself, so all move into one below.
func delegate() error {
	leaf := filepath.Join(cgroups, "init")
	if err := os.Mkdir(leaf, 0o755); err != nil {
		return err
	}
	procs, err := os.ReadFile(filepath.Join(cgroups, "cgroup.procs"))
	if err != nil {
		return err
	}
	for _, pid := range strings.Fields(string(procs)) {
		if err := os.WriteFile(filepath.Join(leaf, "cgroup.procs"), []byte(pid), 0o644); err != nil {
			return err
		}
	}
	available, err := os.ReadFile(filepath.Join(cgroups, "cgroup.controllers"))
	if err != nil {
		return err
	}
	var enable []string
	for _, c := range strings.Fields(string(available)) {
		enable = append(enable, "+"+c)
	}
	return os.WriteFile(filepath.Join(cgroups, "cgroup.subtree_control"), []byte(strings.Join(enable, " ")), 0o644)
}

// Memory is what the sandbox of a name uses, in bytes: its processes, and its
// files in memory.
func Memory(name string) (int64, error) {
	all, err := hierarchies()
	if err != nil {
		return 0, err
	}
	for _, h := range all {
		for _, file := range []string{"memory.usage_in_bytes", "memory.current"} {
			b, err := os.ReadFile(filepath.Join(h.group(name), file))
			if err == nil {
				return strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
			}
		}
	}
	return 0, fmt.Errorf("no cgroup of %s counts memory", name)
}

// removeGroups removes the groups of a dead sandbox wherever they are: whoever
// removes it may be in another group than who made it. The kernel may still be
// ending processes in them.
func removeGroups(name string) error {
	all, err := hierarchies()
	if err != nil {
		return err
	}
	for _, h := range all {
		dirs, err := find(h.mount, "tsunaro-lab-"+name)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			err := until("removing "+dir, func() (bool, error) { return removeGroup(dir) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the directories of a name in a tree that changes meanwhile.
func find(tree, name string) (dirs []string, err error) {
	err = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && d.Name() == name:
			dirs = append(dirs, path)
			return fs.SkipDir
		}
		return nil
	})
	return dirs, err
}

// removeGroup removes a tree of groups, the innermost first. Their files go with
// them and cannot be removed.
func removeGroup(dir string) (done bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if done, err := removeGroup(filepath.Join(dir, e.Name())); !done {
			return false, err
		}
	}
	switch err := syscall.Rmdir(dir); {
	case err == nil, errors.Is(err, syscall.ENOENT):
		return true, nil
	case errors.Is(err, syscall.EBUSY):
		return false, nil
	default:
		return false, fmt.Errorf("removing %s: %w", dir, err)
	}
}
