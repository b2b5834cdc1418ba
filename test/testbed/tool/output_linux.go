package tool

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// output returns what the command writes to stdout. The command ends when this
// process ends, however it ends. So does all that the command started, where
// this process may make a PID namespace for it: a compiler that nobody waits for
// would work on for a minute.
func output(command func() *exec.Cmd) ([]byte, error) {
	runtime.LockOSThread() // the death signal is sent when this thread ends, not the process
	defer runtime.UnlockOSThread()
	cmd := command()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		return cmd.Output()
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID
	out, err := cmd.Output()
	if !errors.Is(err, syscall.EPERM) {
		return out, err
	}
	cmd = command() // root without CAP_SYS_ADMIN, as in many containers
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd.Output()
}
