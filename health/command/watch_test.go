package command_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/health/cluster/clustertest"
	"tsunaro.io/gateway/health/command"
	"tsunaro.io/gateway/internal/commandline"
)

// watching is a status --watch that runs until the test is done with it.
type watching struct {
	testing.TB
	lines chan string
	stop  context.CancelFunc
	code  chan int
}

func (x *terminal) watch(args ...string) *watching {
	ctx, stop := context.WithCancel(x.Context())
	out, in := io.Pipe()
	w := &watching{x.TB, make(chan string, 1000), stop, make(chan int, 1)}
	args = append(args, "--watch", "--interval", "10ms", "--kubeconfig", x.kubeconfig, "--context", "now")
	go func() {
		s := commandline.Streams{In: strings.NewReader(""), Out: in, Err: in}
		w.code <- command.Run(ctx, args, s, func() time.Time { return clustertest.Now })
		_ = in.Close()
	}()
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			w.lines <- lines.Text()
		}
		close(w.lines)
	}()
	return w
}

// await reads until a line holds the text, and returns all lines up to it.
func (w *watching) await(text string) string {
	w.Helper()
	var seen []string
	deadline := time.After(30 * time.Second)
	for {
		select {
		case l, ok := <-w.lines:
			seen = append(seen, l)
			if strings.Contains(l, text) {
				return strings.Join(seen, "\n")
			}
			if !ok {
				w.Fatalf("the end before %q:\n%s", text, strings.Join(seen, "\n"))
			}
		case <-deadline:
			w.Fatalf("no %q in\n%s", text, strings.Join(seen, "\n"))
		}
	}
}

// end stops it, which is no error, and returns what is left.
func (w *watching) end() string {
	w.Helper()
	w.stop()
	var rest []string
	for l := range w.lines {
		rest = append(rest, l)
	}
	if code := <-w.code; code != 0 {
		w.Errorf("exit code %d", code)
	}
	return strings.Join(rest, "\n")
}

// Only what changes is said, with its time, and an API server that is away is said
// once.
func TestWatch(t *testing.T) {
	worlds := clustertest.Worlds(t)
	x := newTerminal(t, map[string]clustertest.World{"now": worlds["bootstrapping"]})
	w := x.watch("status", "lab-gw")
	w.await("StaleNodes")
	x.server.Set("now", worlds["healthy"])
	got := w.await("ClusterDNSForward:")
	for _, want := range []string{
		"03:00:00  lab-gw  health: Progressing AwaitingResources → Healthy FreshRuntimeReady\n",
		"03:00:00  lab-gw  Service/lab-dns: Missing → AsRendered\n",
		"03:00:00  lab-gw  node: 7 100.64.0.7\n",
		"03:00:00  lab-gw  registry: open → complete\n",
		"03:00:00  lab-gw  pod: Running ready, 0 restarts\n",
		"03:00:00  lab-gw  route 192.168.10.0/24: wanted: Yes, advertised: No, approved: No → wanted: Yes, advertised: Yes, approved: Yes\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if w.await("Reconciling: no longer True"); strings.Contains(got, "ServiceAccount/lab-gw: Missing → AsRendered\n03:00:00  lab-gw  ServiceAccount/lab-gw") {
		t.Errorf("said twice:\n%s", got)
	}
	x.server.Set("now", clustertest.World{Down: true})
	w.await("kubectl-tsunaro: cannot read TailnetGateway/lab-gw")
	x.server.Set("now", worlds["drifted"])
	if got := w.await("InSync:"); strings.Contains(got, "kubectl-tsunaro") {
		t.Errorf("a server that is away is said more than once:\n%s", got)
	}
	if rest := w.end(); rest != "" {
		t.Errorf("what has not changed is said:\n%s", rest)
	}
}

// Of all gateways one that comes or goes is a change, and programs get whole
// documents.
func TestWatchAll(t *testing.T) {
	worlds := clustertest.Worlds(t)
	x := newTerminal(t, map[string]clustertest.World{"now": worlds["healthy"]})
	table, documents := x.watch("status"), x.watch("status", "-o", "yaml")
	table.await("lab-gw   Healthy")
	documents.await("unread:")
	x.server.Set("now", worlds["several"])
	table.await("cellar  health: Suspended Suspended")
	if got := documents.await("unread:"); !strings.HasPrefix(got, "---\n- ") {
		t.Errorf("no document of its own:\n%s", got)
	}
	x.server.Set("now", worlds["healthy"])
	table.await("yard  gateway: no longer Progressing")
	table.end()
	documents.end()
}
