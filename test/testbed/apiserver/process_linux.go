package apiserver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process is a running program. It writes its log to a file and dies with the
// test.
type process struct {
	cmd  *exec.Cmd
	log  string
	done chan struct{}
}

func launch(log, path string, args ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, log, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(p.done)
	}()
	return p, nil
}

// kill ends the process at once and waits until it is gone. None of them holds
// anything that outlives the test, and a killed API server is the harder case
// of a restarted one.
func (p *process) kill() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.done
}

// await polls until ready, and fails as soon as the process has ended.
func (p *process) await(ctx context.Context, ready func(context.Context) bool) error {
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

// tail is the end of the log.
func (p *process) tail() []byte {
	const lines = 5
	log, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	all := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(all[max(0, len(all)-lines):], []byte("\n"))
}
