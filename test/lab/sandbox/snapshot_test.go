//go:build lab && linux

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// snapshot is the machine: what is there, and how it is.
type snapshot map[string]string

// take looks at everything that a lab could change.
func take(t *testing.T) snapshot {
	t.Helper()
	s := snapshot{}
	for _, collect := range []func(snapshot) error{mounts, network, firewall, sysctls, files} {
		if err := collect(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// differences are those of a later snapshot, one a line.
func (s snapshot) differences(later snapshot) (list []string) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if now, ok := later[key]; !ok {
			list = append(list, "gone: "+key+" "+s[key])
		} else if now != s[key] {
			list = append(list, fmt.Sprintf("changed: %s from %q to %q", key, s[key], now))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(later)) {
		if _, ok := s[key]; !ok {
			list = append(list, "new: "+key+" "+later[key])
		}
	}
	return list
}

// mounts are those of this process, which has the machine's.
func mounts(s snapshot) error {
	info, err := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(info)) {
		s["mount "+strings.TrimSpace(line)] = ""
	}
	return err
}

// counters are the sysctls that are none: the kernel tells there how it is.
var counters = []string{
	"fs/aio-nr", "fs/dentry-state", "fs/file-nr", "fs/inode-nr", "fs/inode-state", "fs/quota/syncs",
	"kernel/ns_last_pid", "kernel/pty/nr", "kernel/random/entropy_avail", "kernel/random/uuid",
	"net/netfilter/nf_conntrack_count",
}

func sysctls(s snapshot) error {
	const root = "/proc/sys"
	return walk(root, func(path string, d fs.DirEntry) error {
		if d.IsDir() {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil || slices.Contains(counters, name) {
			return err
		}
		value, err := os.ReadFile(path)
		if err != nil {
			value = nil // some may only be written
		}
		s["sysctl "+name] = strings.TrimSpace(string(value))
		return nil
	})
}

// walk visits a tree in which others make and remove files meanwhile.
func walk(root string, visit func(string, fs.DirEntry) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = visit(path, d)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// files are all of /etc and /dev, but terminals, and what lies in the directories
// that programs of a lab use on other machines.
func files(s snapshot) error {
	resolver, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return err
	}
	s["the text of /etc/resolv.conf"] = string(resolver)
	for _, root := range []string{"/etc", "/dev"} {
		err := walk(root, func(path string, d fs.DirEntry) error {
			if path == "/dev/pts" {
				return fs.SkipDir
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			s["file "+path] = info.Mode().String()
			if info.Mode().IsRegular() {
				s["file "+path] += fmt.Sprint(" ", info.Size(), " ", info.ModTime().Format(time.RFC3339Nano))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, dir := range []string{"/run", "/run/netns", "/var/lib", "/var/log", "/opt", "/opt/cni"} {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, e := range entries {
			s["file "+filepath.Join(dir, e.Name())] = e.Type().String()
		}
	}
	return nil
}
