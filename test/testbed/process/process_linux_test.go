package process

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
