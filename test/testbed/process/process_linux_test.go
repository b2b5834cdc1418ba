package process

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What is started apart does not end with the thread that asked for it, and what is
// not does.
func TestStartApart(t *testing.T) {
	started := make(chan *Process)
	var ask func()
	ask = func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if syscall.Gettid() == os.Getpid() {
			runtime.UnlockOSThread() // but the first one never does
			go ask()
			return
		}
		for _, start := range []func(Command) (*Process, error){StartApart, Start} {
			p, err := start(Command{Path: "/bin/sleep", Args: []string{"600"}, Log: filepath.Join(t.TempDir(), "log")})
			if err != nil {
				t.Error(err)
			}
			started <- p
		}
	}
	go ask()
	apart, with := <-started, <-started
	t.Cleanup(apart.Kill)
	if apart == nil || with == nil {
		t.FailNow()
	}
	<-with.Done()
	select {
	case <-apart.Done():
		t.Error("it has ended")
	default:
	}
	if _, err := StartApart(Command{Path: "/nowhere", Log: filepath.Join(t.TempDir(), "log")}); err == nil {
		t.Error("no error")
	}
}

// A program that ends at once is an error with the end of its log, not a wait
// until the deadline.
func TestAProgramThatEndsIsNotWaitedFor(t *testing.T) {
	p, err := Start(Command{Path: "/bin/sh", Args: []string{"-c", "echo one; echo the reason >&2; exit 3"}, Log: t.TempDir() + "/log"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = p.Await(ctx, func(context.Context) bool { return false })
	if err == nil || !strings.Contains(err.Error(), "ended: one\nthe reason") {
		t.Errorf("got %v", err)
	}
	p.Kill()
	(*Process)(nil).Kill() // what was never started
}

func TestACommandGetsItsDirectoryAndEnvironment(t *testing.T) {
	dir := t.TempDir()
	p, err := Start(Command{Path: "/bin/sh", Args: []string{"-c", `echo "$WORD" >it; exec sleep 600`}, Env: []string{"WORD=here", "PATH=/usr/bin:/bin"}, Dir: dir, Log: dir + "/log"})
	if err != nil {
		t.Fatal(err)
	}
	err = p.Await(t.Context(), func(context.Context) bool {
		b, err := os.ReadFile(filepath.Join(dir, "it"))
		return err == nil && string(b) == "here\n"
	})
	if err != nil {
		t.Error(err)
	}
	p.Kill()
	select {
	case <-p.Done():
	default:
		t.Error("killed, and not gone")
	}
}
