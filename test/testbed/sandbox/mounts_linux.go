package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Work is where a sandbox keeps its files, in memory: a path that is the same in
// all of them, and empty on the machine.
const Work = "/run/lab"

// Spaces is where its further network namespaces are, by name, as ip(8) has it.
const Spaces = "/run/netns"

// sysctls are the machine-wide settings that a kubelet writes when they are not
// as it wants them. It finds here what it wants, in files that nothing reads.
var sysctls = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

// mounts gives the process file systems of its own where somebody would
// otherwise write on the machine's. It must be the first process of new PID and
// mount namespaces.
func mounts(all []hierarchy) error {
	// Private first, or the machine would see what comes; then shared, since
	// volumes are mounted by the kubelet and seen by the container runtime.
	for _, flag := range []uintptr{syscall.MS_PRIVATE, syscall.MS_SHARED} {
		if err := syscall.Mount("", "/", "", syscall.MS_REC|flag, ""); err != nil {
			return fmt.Errorf("changing the propagation of mounts: %w", err)
		}
	}
	const safe = syscall.MS_NOSUID | syscall.MS_NODEV
	for _, m := range []struct {
		kind, at string
		flags    uintptr
		options  string
	}{
		{"proc", "/proc", safe | syscall.MS_NOEXEC, ""},
		{"sysfs", "/sys", safe | syscall.MS_NOEXEC, ""},
		{"tmpfs", "/run", syscall.MS_NOSUID, "mode=0755"},
		{"tmpfs", "/var/lib", syscall.MS_NOSUID, "mode=0755"},
		{"tmpfs", "/var/log", safe, "mode=0755"},
	} {
		if err := syscall.Mount(m.kind, m.at, m.kind, m.flags, m.options); err != nil {
			return fmt.Errorf("mounting %s: %w", m.at, err)
		}
	}
	if err := mountGroups(all); err != nil {
		return err
	}
	for _, dir := range []string{Work, Spaces, Work + "/tmp", Work + "/etc/upper", Work + "/etc/work", Work + "/sysctl"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	layers := fmt.Sprintf("lowerdir=/etc,upperdir=%[1]s/etc/upper,workdir=%[1]s/etc/work", Work)
	if err := syscall.Mount("overlay", "/etc", "overlay", 0, layers); err != nil {
		return fmt.Errorf("mounting /etc: %w", err)
	}
	return shadow()
}

func shadow() error {
	for name, value := range sysctls {
		file := filepath.Join(Work, "sysctl", strings.ReplaceAll(name, "/", "."))
		if err := os.WriteFile(file, []byte(value+"\n"), 0o644); err != nil {
			return err
		}
		if err := syscall.Mount(file, "/proc/sys/"+name, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("covering the sysctl %s: %w", name, err)
		}
	}
	return nil
}
