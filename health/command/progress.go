package command

import (
	"fmt"
	"sync"

	"tsunaro.io/gateway/internal/commandline"
)

// progress tells on a terminal how far something is that takes its time. It writes to
// standard error, and leaves nothing behind.
type progress struct {
	s     commandline.Streams
	total int

	mu    sync.Mutex
	shown int // in hundredths
}

// few is what is done before anybody has read of it.
const few = 500

// done is told how many of all are done.
func (p *progress) done(n int) {
	if !p.s.ErrTerminal || p.total < few {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if part := n * 100 / p.total; part > p.shown {
		p.shown = part
		fmt.Fprintf(p.s.Err, "\r%d of %d questions", n, p.total)
	}
}

// end clears the line.
func (p *progress) end() {
	if p.shown > 0 {
		fmt.Fprint(p.s.Err, "\r\x1b[K")
	}
}
