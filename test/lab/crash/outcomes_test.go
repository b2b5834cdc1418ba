//go:build lab && linux

package crash

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tsunaro.io/gateway/test/testbed/tap"
)

// outcomes are how all crashes went on, for whoever reads the log of the tests.
var outcomes tally

type tally struct {
	mu    sync.Mutex
	lines []string
	count map[way]int
}

func (o *tally) add(write string, cut tap.Cut, w way, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count == nil {
		o.count = map[way]int{}
	}
	o.count[w]++
	o.lines = append(o.lines, fmt.Sprintf("%-28s %-7s %-22s %5.1f s", write, cut, w, took.Seconds()))
}

func (o *tally) tell(t *testing.T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.Sort(o.lines)
	t.Logf("%d crashes: %v\n%s", len(o.lines), o.count, strings.Join(o.lines, "\n"))
}
