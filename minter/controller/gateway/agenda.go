package gateway

import (
	"sync"
	"time"
)

// agenda is what this process has in mind about gateways between their passes: who
// is to be read whole and when, and who need not be woken by a hosts source. What is
// decided rests on what is read, never on this.
type agenda struct {
	mu    sync.Mutex
	items map[string]*item // by the gateway's name
}

type item struct {
	owed    int       // counts the reasons for a whole pass
	due     time.Time // of the next whole pass; zero: now
	settled bool      // nothing is awaited

	// follows is the revision of the hosts source that the zone was found in sync
	// with, or that makes the same zone. It is empty where that is not known, and
	// during a pass.
	follows string
}

func newAgenda() *agenda { return &agenda{items: map[string]*item{}} }

// item is a gateway's; a.mu is held. One that is not known is to be read whole.
func (a *agenda) item(name string) *item {
	i := a.items[name]
	if i == nil {
		i = &item{}
		a.items[name] = i
	}
	return i
}

// owe asks for a whole pass at once: something has changed about the gateway.
func (a *agenda) owe(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.item(name)
	i.owed++
	i.due = time.Time{}
}

// begin begins a whole pass, which end is given the answer of. Until then the zone
// follows nothing: whatever hosts source changes meanwhile wakes the gateway again.
func (a *agenda) begin(name string) (owed int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.item(name)
	i.due, i.settled, i.follows = time.Time{}, false, ""
	return i.owed
}

// end says when the next whole pass is due, unless one is owed since begin: again
// is true then.
func (a *agenda) end(name string, owed int, due time.Time, settled bool) (again bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.item(name)
	if i.owed != owed {
		return true
	}
	i.due, i.settled = due, settled
	return false
}

// follow begins a look at the zone alone, as begin does. It is refused where a whole
// pass is due.
func (a *agenda) follow(name string, now time.Time) (ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.item(name)
	if !now.Before(i.due) {
		return false
	}
	i.follows = ""
	return true
}

// next is when a whole pass is due.
func (a *agenda) next(name string) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.item(name).due
}

// inSync notes which revision of the hosts source a pass has found the zone in sync
// with.
func (a *agenda) inSync(name, hosts string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.item(name).follows = hosts
}

// behind reports whether a gateway must look at its zone when the hosts source goes
// from one revision to another. Where that does not concern it, it follows the other
// one from now on.
func (a *agenda) behind(name, from, to string, concerned bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.item(name)
	switch {
	case i.follows == to:
		return false
	case i.follows != from || concerned:
		return true
	}
	i.follows = to
	return false
}

// waiting are those of the gateways that wait for something.
func (a *agenda) waiting(names []string) (some []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range names {
		if !a.item(name).settled {
			some = append(some, name)
		}
	}
	return some
}

func (a *agenda) forget(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.items, name)
}
