//go:build lab && linux

package teardown

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tap"
)

// place is an operator namespace with a Tailnet, a minter, and a tap between that
// and its servers.
type place struct {
	*labtest.Tapped
	tailnet   string
	free      bool // no policy applies
	judge     atomic.Pointer[func(tap.Write) tap.Cut]
	fault     atomic.Pointer[fault]
	forbidden forbidden
	all       []*gateway
}

// placesMade counts the places of either sort: each has a namespace of its own.
var placesMade struct{ guarded, free atomic.Int32 }

// newPlace makes a place in which the policies apply, without a minter.
func newPlace(t *testing.T) *place {
	t.Helper()
	n := int(placesMade.guarded.Add(1)) - 1
	if n >= maxGuarded {
		t.Fatalf("more than %d places", maxGuarded)
	}
	return (&place{tailnet: guarded(n)}).prepare(world(t))
}

// newFreePlace makes one in which no policy does.
func newFreePlace(t *testing.T) *place {
	t.Helper()
	n := int(placesMade.free.Add(1)) - 1
	if n >= maxFree {
		t.Fatalf("more than %d free places", maxFree)
	}
	return (&place{tailnet: free(n), free: true}).prepare(world(t))
}

// prepare makes what is there before the first Tailnet, which is called like its
// namespace: the taps, Headscale's certificate and the bootstrap key.
func (p *place) prepare(w *labtest.World) *place {
	w.Helper()
	p.Tapped = w.Tap(p.tailnet, shared.admin, labtest.Ways{
		Judge: func(w tap.Write) tap.Cut {
			if judge := p.judge.Load(); judge != nil {
				return (*judge)(w)
			}
			return tap.Pass
		},
		APIServer: func(usual http.RoundTripper) http.RoundTripper {
			p.forbidden.next = usual
			return &p.forbidden
		},
		Headscale: func(usual http.RoundTripper) http.RoundTripper { return faulty{p, usual} },
	})
	p.Cleanup(p.leave)
	p.Bring(shared.bootstrap)
	return p
}

// often lets the minter ask the API server as often as it likes: dozens of gateways begin
// at once.
var often = []string{"--kube-api-qps=1000", "--kube-api-burst=1000"}

// start starts the minter.
func (p *place) start() {
	p.Helper()
	p.Start(often...)
}

// again starts another minter after the last one was killed by the tap.
func (p *place) again() {
	p.Helper()
	p.Again(often...)
}

// judges puts a judge before each write of the minter's. Without one all pass.
func (p *place) judges(judge func(tap.Write) tap.Cut) { p.judge.Store(&judge) }

// leave ends the minter, which nothing may have been forbidden.
func (p *place) leave() {
	p.Kill()
	if list := p.forbidden.all(); len(list) > 0 {
		p.Errorf("the minter was forbidden %v", list)
	}
	p.Logf("%s: %d writes, and reads of Headscale: %v", p.Namespace, len(p.Tap.Writes()), p.asked())
}

// asked counts what Headscale was asked for, by the beginning of its path: it is what
// these tests cost most.
func (p *place) asked() map[string]int {
	count := map[string]int{}
	for _, w := range p.Tap.Writes() {
		for _, read := range w.Reads {
			if parts := strings.Split(read, "/"); !strings.HasPrefix(read, "/apis/") && !slices.Contains(parts, "namespaces") {
				count[strings.Join(parts[:min(len(parts), 4)], "/")]++
			}
		}
	}
	return count
}

// forbidden passes the minter's requests on, and writes down those that it had no
// right to send.
type forbidden struct {
	next http.RoundTripper
	mu   sync.Mutex
	list []string
}

// RoundTrip sends a request.
func (f *forbidden) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := f.next.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusForbidden {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.list = append(f.list, r.Method+" "+r.URL.Path)
	}
	return response, err
}

func (f *forbidden) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}
