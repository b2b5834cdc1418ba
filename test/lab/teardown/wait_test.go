//go:build lab && linux

package teardown

import (
	"context"
	"errors"
	"time"
)

// patience is for anything that a test waits for on a busy machine.
const patience = 3 * time.Minute

// Await is World's, with more patience and fewer questions: many wait at once.
func (p *place) Await(what string, holds func(context.Context) error) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	last := errors.New("nobody has looked")
	if !poll(ctx, func() bool {
		if err := holds(ctx); err == nil || ctx.Err() == nil {
			last = err
		}
		return last == nil
	}) {
		p.Fatalf("waited in vain until %s: %v", what, last)
	}
}

// poll asks until the answer is yes, or the context ends.
func poll(ctx context.Context, yes func() bool) bool {
	const pause = 100 * time.Millisecond
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

// background runs something until the test ends.
func (p *place) background(run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	p.Cleanup(func() {
		cancel()
		<-done
	})
}
