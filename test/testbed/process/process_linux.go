package process

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Command is what is run.
type Command struct {
	Path string
	Args []string
	Env  []string // all of it; nil is that of the test
	Dir  string   // that it runs in; empty is that of the test
	Log  string   // file that its output is appended to
}

// Process is a running program. It is killed when the thread that started it
// ends, which the Go runtime keeps until the process ends: a goroutine that is
// locked to its thread must outlive what it starts.
type Process struct {
	cmd  *exec.Cmd
	log  string
	done chan struct{}
}

// Start runs the command.
func Start(c Command) (*Process, error) {
	out, err := os.OpenFile(c.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{cmd, c.Log, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(p.done)
	}()
	return p, nil
}

// StartApart runs the command on a thread of its own, which ends with it and not with
// the caller's: for callers whose threads come and go, as those do that look into the
// networks of a lab. The process is in the network namespace of the program.
func StartApart(c Command) (p *Process, err error) {
	started := make(chan struct{})
	var run func()
	run = func() {
		runtime.LockOSThread() // and never unlocked
		if syscall.Gettid() == os.Getpid() {
			runtime.UnlockOSThread() // but the first thread, which never ends
			go run()
			return
		}
		p, err = Start(c)
		close(started)
		if err == nil {
			<-p.done
		}
	}
	go run()
	<-started
	return p, err
}

// Kill ends the process at once and waits until it is gone. Nothing that tests
// run holds anything that must outlive it, and a killed server is the harder case
// of a restarted one. What was never started is gone.
func (p *Process) Kill() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.done
}

// Pid is the number that the kernel knows the process by.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Await polls until ready, and fails with the end of the log as soon as the
// process has ended.
func (p *Process) Await(ctx context.Context, ready func(context.Context) bool) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ready(ctx) {
		select {
		case <-tick.C:
		case <-p.done:
			return fmt.Errorf("%s ended: %s", p.cmd.Path, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w: %s", p.cmd.Path, ctx.Err(), p.tail())
		}
	}
	return nil
}

// Answers is ready when a GET of the address succeeds.
func Answers(c *http.Client, url string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return false
		}
		response, err := c.Do(request)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	}
}

// tail is the end of the log.
func (p *Process) tail() []byte {
	const lines = 5
	log, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	all := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(all[max(0, len(all)-lines):], []byte("\n"))
}
