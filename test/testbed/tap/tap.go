package tap

import (
	"slices"
	"sync"
	"time"
)

// Options say how a Tap deals with writes.
type Options struct {
	// Judge is called with each write before it is sent; it may be nil. Quiet writes
	// are not shown to it.
	Judge func(Write) Cut
	// Kill ends the process at once and returns when it is gone.
	Kill func()

	// Together lets writes overtake each other, as they do without a tap. Otherwise
	// one is answered before the next is looked at, so that nothing else is under way
	// at a cut.
	Together bool
}

// Tap is one order of writes. It may be used concurrently.
type Tap struct {
	options Options
	turn    sync.Mutex // held through a write, unless they may go together

	mu     sync.Mutex
	writes []*Write
	since  []string // reads since the last write
	life   int      // of the process: requests of an earlier life go nowhere
	dead   bool     // nothing of it passes any more
	gone   bool     // it has ended
}

// New makes a Tap without a server.
func New(o Options) *Tap { return &Tap{options: o} }

// Writes are all writes so far, but for the quiet ones.
func (t *Tap) Writes() []Write {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Write, len(t.writes))
	for i, w := range t.writes {
		all[i] = *w
		all[i].Reads = slices.Clone(w.Reads)
	}
	return all
}

// Dead reports whether the process was ended and Revive has not been called since.
// It is gone by then: who starts another one has only that one.
func (t *Tap) Dead() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}

// Revive lets requests pass again: those of connections that are made from now on.
func (t *Tap) Revive() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.life, t.dead, t.gone = t.life+1, false, false
}

// alive reports whether a connection of a life may still be served.
func (t *Tap) alive(life int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.dead && life == t.life
}

// arrived writes a write down. It is of a dead process if ok is false.
func (t *Tap) arrived(w Write, life int) (kept *Write, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dead || life != t.life {
		return nil, false
	}
	w.Number, w.At, w.Reads, t.since = len(t.writes)+1, time.Now(), t.since, nil
	t.writes = append(t.writes, &w)
	return &w, true
}

func (t *Tap) answered(w *Write, status int, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w.Status, w.Answer = status, body
}

func (t *Tap) read(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.since = append(t.since, path)
}

// kill ends the process. From here on nothing of it passes.
func (t *Tap) kill() {
	t.mu.Lock()
	t.dead = true
	t.mu.Unlock()
	t.options.Kill()
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
}
