package inside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

// process is one program of the lab. It can be stopped and started again.
type process struct {
	name    string
	version string
	address string // for people
	log     string
	make    func() *exec.Cmd

	mu      sync.Mutex
	cmd     *exec.Cmd
	done    chan struct{} // closed when cmd has ended
	stopped bool          // on request
}

// command runs a program in a network namespace with a small environment.
func (l *Lab) command(space, path string, args ...string) *exec.Cmd {
	argv := append([]string{path}, args...)
	if space != lab.OnNode {
		argv = append([]string{"nsenter", "--net=" + filepath.Join(sandbox.Spaces, space), "--"}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environment()
	cmd.Dir = sandbox.Work
	return cmd
}

func environment() []string {
	return []string{
		"PATH=" + binDir + ":/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + sandbox.Work, "TMPDIR=" + filepath.Join(sandbox.Work, "tmp"),
		"CONTAINERD_NAMESPACE=k8s.io", // ctr looks at the Pods' containers
	}
}

// program is the path of a program of the lab.
func (l *Lab) program(name string) string { return l.spec.Programs[name].Path }

func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && !p.ended() {
		return fmt.Errorf("%s is running", p.name)
	}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd, done := p.make(), make(chan struct{})
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.done, p.stopped = cmd, done, false
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(done)
	}()
	return nil
}

// ended reports whether the program is gone. The caller holds the lock.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// grace is how long a program may take to end by itself.
const grace = 20 * time.Second

// stop sends a signal and waits for the end.
func (p *process) stop(signal syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil || p.ended() {
		return nil
	}
	p.stopped = true
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
	case <-time.After(grace):
		if err := p.cmd.Process.Kill(); err != nil {
			return err
		}
		<-p.done
	}
	return nil
}

// await polls until ready, and fails as soon as the process has ended.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	p.mu.Lock()
	done := p.done
	p.mu.Unlock()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-done:
			return fmt.Errorf("%s ended: %s", p.name, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w\n%s", p.name, err, p.tail())
		}
	}
}

// tail is the end of the log.
func (p *process) tail() []byte {
	const lines = 8
	log, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	all := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(all[max(0, len(all)-lines):], []byte("\n"))
}

func (p *process) status() lab.Component {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := lab.Component{Name: p.name, Version: p.version, Address: p.address, Log: p.log, State: "running"}
	switch {
	case p.cmd == nil || p.ended() && p.stopped:
		c.State = "stopped"
	case p.ended():
		c.State = "ended"
	default:
		c.Memory = resident(p.cmd.Process.Pid)
	}
	return c
}

// resident is the memory of a process in bytes, 0 if it is gone.
func resident(pid int) int64 {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	return 0
}

// add makes a component known. The program's version is the one that was pinned.
func (l *Lab) add(name, address string, make func() *exec.Cmd) *process {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &process{name: name, version: l.spec.Programs[name].Version, address: address, log: filepath.Join(l.spec.Dir, "logs", name+".log"), make: make}
	l.processes = append(l.processes, p)
	return p
}

func (l *Lab) find(name string) *process {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.processes, func(p *process) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return l.processes[i]
}

// run runs a short program to its end; the error holds what it wrote.
func (l *Lab) run(ctx context.Context, space, path string, args ...string) error {
	cmd := l.command(space, path, args...)
	out, err := output(ctx, cmd)
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(path), strings.Join(args, " "), err, out)
	}
	return nil
}

func output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer stop()
	err := cmd.Wait()
	return out.Bytes(), err
}
