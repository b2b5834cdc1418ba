package inside

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tsunaro.io/gateway/test/testbed/lab"
)

// step is something that has to be done, after others, until the lab is there.
type step struct {
	name  string
	needs []string
	do    func(context.Context) error
}

// run does all steps, each as soon as those that it needs are done. The first
// failure ends the others.
func runSteps(ctx context.Context, steps []step, tell func(lab.Event)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	seconds := func() float64 { return time.Since(start).Seconds() }
	done := map[string]chan struct{}{}
	for _, s := range steps {
		done[s.name] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for _, s := range steps {
		wg.Go(func() {
			for _, need := range s.needs {
				select {
				case <-done[need]:
				case <-ctx.Done():
					return
				}
			}
			tell(lab.Event{Component: s.name, State: "started", Seconds: seconds()})
			if err := s.do(ctx); err != nil {
				if context.Cause(ctx) == nil || !errors.Is(err, context.Canceled) {
					tell(lab.Event{Component: s.name, State: "failed", Seconds: seconds(), Error: err.Error()})
				}
				cancel(fmt.Errorf("%s: %w", s.name, err))
				return
			}
			tell(lab.Event{Component: s.name, State: "ready", Seconds: seconds()})
			close(done[s.name])
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	tell(lab.Event{State: "ready", Seconds: seconds()})
	return nil
}
