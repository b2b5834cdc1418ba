package labtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// Deadline is for anything that a test waits for, on a machine that is busy with
// other suites.
const Deadline = 4 * time.Minute

// World is a lab as one test sees it.
type World struct {
	testing.TB
	Lab *lab.Lab
}

// New is the world of a test. If that fails, it logs how Pods are.
func New(t testing.TB, l *lab.Lab) *World {
	w := &World{t, l}
	t.Cleanup(func() {
		if t.Failed() {
			w.explain()
		}
	})
	return w
}

// In is the same world for a subtest.
func (w *World) In(t testing.TB) *World { return &World{t, w.Lab} }

// Patience is how long, and how often, a test asks for what it waits for.
type Patience struct{ Limit, Pause time.Duration }

// Await polls until the condition holds, that is until it gives no error, and
// fails with the last error.
func (w *World) Await(what string, holds func(context.Context) error) {
	w.Helper()
	w.AwaitWith(Patience{Deadline, 50 * time.Millisecond}, what, holds)
}

// AwaitWith does the same with another patience.
func (w *World) AwaitWith(p Patience, what string, holds func(context.Context) error) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), p.Limit)
	defer cancel()
	var last error
	if !Poll(ctx, p.Pause, func() bool {
		err := holds(ctx)
		if err == nil || last == nil || ctx.Err() == nil { // the last one may only say that the time is over
			last = err
		}
		return err == nil
	}) {
		w.Fatalf("waited in vain until %s: %v", what, last)
	}
}

// Poll asks until the answer is yes, or the context ends.
func Poll(ctx context.Context, pause time.Duration, yes func() bool) bool {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for !yes() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Client is a typed client for an identity.
func (w *World) Client(id apiserver.Identity) *kubernetes.Clientset {
	w.Helper()
	config, err := w.Lab.Access.Config(id)
	if err != nil {
		w.Fatal(err)
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// Dynamic is a client for objects of every kind.
func (w *World) Dynamic(id apiserver.Identity) *dynamic.DynamicClient {
	w.Helper()
	config, err := w.Lab.Access.Config(id)
	if err != nil {
		w.Fatal(err)
	}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// Kubectl runs kubectl as an identity; input is its standard input.
func (w *World) Kubectl(id apiserver.Identity, input string, args ...string) apiserver.Result {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), Deadline)
	defer cancel()
	r, err := w.Lab.Access.Kubectl(ctx, id, input, args...)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// Must is a kubectl that has to succeed; it returns what that wrote to stdout.
func (w *World) Must(id apiserver.Identity, input string, args ...string) string {
	w.Helper()
	r := w.Kubectl(id, input, args...)
	if r.Code != 0 {
		w.Fatalf("kubectl %s: exit code %d\n%s%s", strings.Join(args, " "), r.Code, r.Stderr, r.Stdout) // what is wrong first
	}
	return r.Stdout
}
