//go:build lab && linux

package tailnet

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/go-logr/logr/funcr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// said is all that the minters, and the libraries below them, have logged.
var said transcript

// logger writes down everything, at any verbosity.
var logger = funcr.New(func(prefix, args string) { said.println(prefix, args) }, funcr.Options{Verbosity: 9})

func init() {
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
}

// transcript may be written and read at the same time.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) println(args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(&t.text, args...)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
