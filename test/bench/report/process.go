//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// program is a command line that is run from its start to its end.
type program struct {
	name  string
	args  []string
	stdin string // file; "" for none
	path  string // directory in front of $PATH; "" for none
}

func (p program) command() (*exec.Cmd, error) {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Stderr = os.Stderr
	if p.path != "" {
		cmd.Env = append(os.Environ(), "PATH="+p.path+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if p.stdin == "" {
		return cmd, nil
	}
	f, err := os.Open(p.stdin)
	cmd.Stdin = f
	return cmd, err
}

// output runs the program for what it prints.
func (p program) output() ([]byte, error) {
	cmd, err := p.command()
	if err != nil {
		return nil, err
	}
	defer closeStdin(cmd)
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w", p.name, err)
	}
	return out, err
}

// measure runs the program once. Its processor time, user and system, is that of
// the processes it started as well.
func (p program) measure() (cost, error) {
	cmd, err := p.command()
	if err != nil {
		return cost{}, err
	}
	defer closeStdin(cmd)
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%s: %w", p.name, err)
	}
	wall := time.Since(start)
	return cost{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall}, nil
}

func closeStdin(cmd *exec.Cmd) {
	if f, ok := cmd.Stdin.(*os.File); ok {
		f.Close()
	}
}

// peak returns the most memory that the program's own process had resident, in
// bytes. The figure that wait4 gives will not do: it is at least that of the
// process that started it. So the program is stopped where it exits, and asked.
func (p program) peak() (int64, error) {
	runtime.LockOSThread() // of all threads only the tracer may ask
	defer runtime.UnlockOSThread()
	cmd, err := p.command()
	if err != nil {
		return 0, err
	}
	defer closeStdin(cmd)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return 0, err
	}
	const traceExit = 0x40 // PTRACE_O_TRACEEXIT
	if err := syscall.PtraceSetOptions(pid, traceExit); err != nil {
		return 0, err
	}
	const eventExit = 6 // PTRACE_EVENT_EXIT
	for signal := 0; status.TrapCause() != eventExit; signal = passOn(status) {
		if err := syscall.PtraceCont(pid, signal); err != nil {
			return 0, err
		}
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
			return 0, err
		}
		if status.Exited() || status.Signaled() {
			return 0, fmt.Errorf("%s: ended before it could be asked", p.name)
		}
	}
	memory, err := highWater(pid)
	return memory, errors.Join(err, syscall.PtraceDetach(pid), cmd.Wait())
}

// passOn returns the signal that stopped a traced process and is meant for it.
func passOn(status syscall.WaitStatus) int {
	if s := status.StopSignal(); s != syscall.SIGTRAP {
		return int(s)
	}
	return 0
}

func highWater(pid int) (int64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "VmHWM:" {
			kib, err := strconv.ParseInt(string(f[1]), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("the kernel does not tell a process's peak memory")
}
