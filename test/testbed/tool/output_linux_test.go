package tool

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// doomed marks the process that TestBuildEndsWithItsProcess kills.
const doomed = "TSUNARO_TEST_DOOMED"

// goCommand stands for a go command with a compiler: each would run for ever, and
// holds the file descriptor that the test reads. Where the death of the go command
// cannot end it, in no PID namespace, there is no compiler.
const goCommand = `#!/bin/sh
[ $$ != 1 ] || /bin/sleep 1000000 &
echo "$$" >&3
exec /bin/sleep 1000000
`

// TestMain is the process to be killed, where it is told so.
func TestMain(m *testing.M) {
	if os.Getenv(doomed) == "" {
		os.Exit(m.Run())
	}
	if _, err := run("", nil, "build"); err != nil {
		panic(err)
	}
}

// A build that outlived its process would hold a processor, and its files, while
// the next one builds the same.
func TestBuildEndsWithItsProcess(t *testing.T) {
	held, holders, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), doomed+"=1", "PATH="+scripts(t, map[string]string{"go": goCommand}))
	cmd.ExtraFiles = []*os.File{holders} // descriptor 3 of all below
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	holders.Close()
	r := bufio.NewReader(held)
	pid, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if first := strings.TrimSpace(pid) == "1"; first != namespaces() {
		t.Errorf("the go command runs in a PID namespace of its own: %t, want %t", first, namespaces())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()                                               // killed
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 { // returns when nobody holds the other end
		t.Errorf("%q, %v", rest, err)
	}
}

// namespaces reports whether this process may make PID namespaces.
func namespaces() bool {
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	return cmd.Run() == nil
}
