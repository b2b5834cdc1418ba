package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// Descriptors of the first process.
const (
	lockFD = 3 + iota
	lifeFD
	filesFD // of the first of the files that Start was given
)

// FirstFD is the descriptor, inside, of the first of the files that Start was
// given.
const FirstFD = 3

// Sandbox is seen from outside here.
type Sandbox struct {
	Name string
	Dir  string
	PID  int // of its first process, on the machine; 0 before Start

	lock *os.File // until Start
	life *os.File // while it is open, and until Detach, the sandbox lives
}

// New makes the directory of a sandbox, empty, and claims the name for the
// calling process. What an earlier one of the name left is removed.
func New(name string) (*Sandbox, error) {
	dir, err := Dir(name)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{Name: name, Dir: dir}
	err = exclusively(func() (err error) {
		if _, err := sweep(dir); err != nil {
			return err
		}
		s.lock, err = claim(dir)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Start runs a program as the whole content of the sandbox: program and
// arguments must come to call Enter. Files are the program's descriptors from
// FirstFD on. Its output goes to out. Until Detach the sandbox dies with the
// calling process.
func (s *Sandbox) Start(out *os.File, files []*os.File, program string, args ...string) error {
	end, life, err := os.Pipe()
	if err != nil {
		return err
	}
	defer end.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.ExtraFiles = append([]*os.File{s.lock, end}, files...)
	cmd.Env = append(os.Environ(), nameVariable+"="+s.Name, countVariable+"="+strconv.Itoa(len(files)))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		Setsid:     true, // a terminal's ^C is for whoever waits, not for the lab
	}
	if err := cmd.Start(); err != nil {
		_ = life.Close() // nobody reads it
		return fmt.Errorf("starting a sandbox (it takes root): %w", err)
	}
	go func() { _ = cmd.Wait() }() // how it ended is in its output
	s.PID, s.life = cmd.Process.Pid, life
	err = os.WriteFile(filepath.Join(s.Dir, pidName), []byte(strconv.Itoa(s.PID)), 0o600)
	// From here on the first process alone holds the lock.
	return errors.Join(err, s.lock.Close())
}

const pidName = "pid"

// Detach lets the sandbox outlive the process that started it.
func (s *Sandbox) Detach() error {
	_, err := s.life.Write([]byte{0})
	return err
}

// Find returns the living sandbox of a name, or nil.
func Find(name string) (*Sandbox, error) {
	dir, err := Dir(name)
	if err != nil {
		return nil, err
	}
	var s *Sandbox
	err = exclusively(func() error {
		if alive, err := alive(dir); err != nil || !alive {
			return err
		}
		pid, err := firstPID(dir)
		if err == nil {
			s = &Sandbox{Name: name, Dir: dir, PID: pid}
		}
		return err
	})
	return s, err
}

// firstPID is the first process of a living sandbox.
func firstPID(dir string) (int, error) {
	b, err := os.ReadFile(filepath.Join(dir, pidName))
	if errors.Is(err, os.ErrNotExist) {
		return 0, errors.New("another process is about to start a lab of this name")
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(b))
}

// Stop kills everything in the sandbox and removes what is left of it.
func (s *Sandbox) Stop() error {
	end := s.kill
	if s.PID == 0 {
		end = s.lock.Close
	}
	if err := exclusively(end); err != nil {
		return err
	}
	return until("the end of the lab "+s.Name, func() (gone bool, err error) {
		err = exclusively(func() error {
			_, err := sweep(s.Dir)
			if _, there := os.Stat(s.Dir); err == nil {
				gone = errors.Is(there, os.ErrNotExist)
			}
			return err
		})
		return gone, err
	})
}

// kill kills the first process, if it lives: the lock tells that the number still
// is that process's. It is called exclusively.
func (s *Sandbox) kill() error {
	if alive, err := alive(s.Dir); err != nil || !alive {
		return err
	}
	if pid, err := firstPID(s.Dir); err != nil {
		return err
	} else if pid != s.PID {
		return errInUse // by a later one
	}
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("killing %s: %w", s.Name, err)
	}
	return nil
}

// Space is the path of a network namespace of the sandbox, as seen from outside;
// "" is its first one.
func (s *Sandbox) Space(name string) string {
	proc := filepath.Join("/proc", strconv.Itoa(s.PID))
	if name == "" {
		return filepath.Join(proc, "ns", "net")
	}
	return filepath.Join(proc, "root", Spaces, name)
}

const (
	nameVariable  = "TSUNARO_LAB_NAME"
	countVariable = "TSUNARO_LAB_FILES"
	innerVariable = "TSUNARO_LAB_INNER"
)

// Enter makes the calling program the content of its sandbox. The first process
// only starts the program once more and reaps orphans: for that one Enter
// returns when all has ended. For the second it returns inside true, at once.
func Enter() (inside bool, err error) {
	name := os.Getenv(nameVariable)
	if name == "" {
		return false, errors.New("this is run by the lab itself")
	}
	if os.Getenv(innerVariable) == "" {
		if _, err := enterGroups(name); err != nil {
			return false, err
		}
		return false, first()
	}
	// The mounts of the parent's cgroups are still there, and its processes' too.
	all, err := hierarchies()
	if err != nil {
		return true, err
	}
	return true, mounts(all)
}

// first starts this program again, in a cgroup namespace, and stays as the
// process that every orphan becomes a child of.
func first() error {
	count, err := strconv.Atoi(os.Getenv(countVariable))
	if err != nil {
		return err
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), innerVariable+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	for fd := range count {
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(filesFD+fd), "file"))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWCGROUP}
	for _, fd := range []int{lockFD, lifeFD} { // they are this process's alone
		syscall.CloseOnExec(fd)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go follow(os.NewFile(lifeFD, "life"))
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return err
		case pid == cmd.Process.Pid:
			return fmt.Errorf("the lab ended with status %d, signal %d", status.ExitStatus(), status.Signal())
		}
	}
}

// follow ends the process, and the sandbox with it, when the one that started it
// has ended without a word.
func follow(life *os.File) {
	if n, _ := life.Read(make([]byte, 1)); n == 0 {
		os.Exit(1)
	}
}
