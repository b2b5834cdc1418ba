//go:build lab && linux

package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tsunaro.io/gateway/test/testbed/sandbox"
)

// process is one of the trial's labs or builds.
type process struct{ dir, comm string }

// processes are those that are the trial's by their environment, or by the cgroup
// that they are in.
func (tr *trial) processes() (list []process) {
	tr.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		tr.Fatal(err)
	}
	for _, dir := range dirs {
		// A process that has ended meanwhile has neither.
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		groups, _ := os.ReadFile(filepath.Join(dir, "cgroup"))
		if !tr.owns(string(environ), string(groups)) {
			continue
		}
		comm, _ := os.ReadFile(filepath.Join(dir, "comm"))
		list = append(list, process{dir, strings.TrimSpace(string(comm))})
	}
	return list
}

func (tr *trial) owns(environ, groups string) bool {
	if tr.mark != "" && slices.Contains(strings.Split(environ, "\x00"), tr.mark) {
		return true
	}
	return slices.ContainsFunc(tr.names, func(name string) bool {
		return slices.Contains(strings.Split(environ, "\x00"), "TSUNARO_LAB_NAME="+name) || strings.Contains(groups, "tsunaro-lab-"+name)
	})
}

// kinds of namespaces.
var kinds = []string{"cgroup", "ipc", "mnt", "net", "pid", "uts"}

// observe notes in which namespaces the trial's processes are.
func (tr *trial) observe() {
	tr.Helper()
	for _, p := range tr.processes() {
		for _, kind := range kinds {
			theirs, err := os.Readlink(filepath.Join(p.dir, "ns", kind))
			own, _ := os.Readlink("/proc/self/ns/" + kind)
			if err == nil && theirs != own {
				tr.namespaces[theirs] = true
			}
		}
	}
	if len(tr.namespaces) == 0 {
		tr.Fatal("no process of the trial has a namespace of its own")
	}
}

// left is all that is left of the trial, and all that is not as it was before.
func (tr *trial) left() []string {
	tr.Helper()
	list := tr.before.differences(take(tr.T))
	for _, p := range tr.processes() {
		list = append(list, "process: "+p.dir+" "+p.comm)
	}
	used, err := filepath.Glob("/proc/[0-9]*/ns/*")
	if err != nil {
		tr.Fatal(err)
	}
	for _, ns := range used {
		if at, err := os.Readlink(ns); err == nil && tr.namespaces[at] {
			list = append(list, "namespace: "+at+" of "+ns)
		}
	}
	list = append(list, tr.groups()...)
	for _, name := range tr.names {
		dir, err := sandbox.Dir(name)
		if err != nil {
			tr.Fatal(err)
		}
		if _, err := os.Stat(dir); err == nil {
			list = append(list, "directory: "+dir)
		}
	}
	return list
}

// groups are the cgroups of the trial's labs, and those that a kubelet made outside
// of any lab.
func (tr *trial) groups() (list []string) {
	tr.Helper()
	err := walk("/sys/fs/cgroup", func(path string, d fs.DirEntry) error {
		if !d.IsDir() {
			return nil
		}
		lab, ours := strings.CutPrefix(d.Name(), "tsunaro-lab-")
		switch {
		case ours && slices.Contains(tr.names, lab), d.Name() == "kubepods":
			list = append(list, "cgroup: "+path)
			return fs.SkipDir
		case ours: // another test's
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		tr.Fatal(err)
	}
	return list
}
