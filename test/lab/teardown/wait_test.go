//go:build lab && linux

package teardown

import (
	"context"
	"time"

	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// patience is for anything that a test waits for on a busy machine: many wait at once.
var patience = labtest.Patience{Limit: 6 * time.Minute, Pause: 100 * time.Millisecond}

// Await is World's, with more patience and fewer questions.
func (p *place) Await(what string, holds func(context.Context) error) {
	p.Helper()
	p.AwaitWith(patience, what, holds)
}

func poll(ctx context.Context, yes func() bool) bool { return labtest.Poll(ctx, patience.Pause, yes) }
