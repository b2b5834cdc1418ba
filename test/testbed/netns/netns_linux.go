package netns

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// inside marks the environment of the process that runs in the namespace.
const inside = "TSUNARO_TEST_NETNS"

// scratch is where that process sees a file system of its own, for its temporary
// files. Any directory would do that every machine has and the tests do not need.
const scratch = "/mnt"

// Main is the whole TestMain of a package. It calls prepare where there still is
// a network, and starts the test binary again in a new namespace that has
// nothing but lo, with the addresses (as ip writes them: 192.0.2.53/32). What
// prepare puts into the environment is there. Temporary files are in memory: they
// and the namespace end with the process, however it ends, and the process with
// the one that go test watches.
func Main(m *testing.M, prepare func() error, addresses ...string) {
	if os.Getenv(inside) == "" {
		os.Exit(outer(prepare))
	}
	if err := configure(addresses); err != nil {
		fmt.Fprintln(os.Stderr, "netns:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// outer returns the exit code of the process in the namespace.
func outer(prepare func() error) int {
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "netns:", err)
		return 1
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), inside+"=1", "TMPDIR="+scratch)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // the death signal is sent when this thread ends, not the process
	err := cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "netns: running in a new network namespace (it takes root): %v\n", err)
		return 1
	}
	return 0
}

func configure(addresses []string) error {
	// Without the first, systemd's shared mounts would show ours to everybody.
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := syscall.Mount("tmpfs", scratch, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("mounting %s: %w", scratch, err)
	}
	commands := [][]string{{"link", "set", "lo", "up"}}
	for _, a := range addresses {
		add := []string{"addr", "add", a, "dev", "lo"}
		if strings.Contains(a, ":") {
			add = append(add, "nodad") // else it takes a while until it may be bound
		}
		commands = append(commands, add)
	}
	for _, args := range commands {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %v (of the package iproute2): %w\n%s", args, err, out)
		}
	}
	return nil
}
