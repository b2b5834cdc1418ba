//go:build lab && linux

package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tsunaro.io/gateway/test/testbed/tool"
)

// trial is what one test does with labs of its own, and the machine before it.
type trial struct {
	*testing.T
	names      []string
	program    string
	env        []string // beside the test's own
	mark       string   // a variable that every process of a build has; may be empty
	before     snapshot
	namespaces map[string]bool // that processes of the labs were seen in, but the machine's
}

var trials atomic.Int32

// begin gives a trial names for n labs, all of one length so that none is the
// beginning of another.
func begin(t *testing.T, n int) *trial {
	t.Helper()
	program, err := tool.Path(tool.LabName)
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{T: t, program: program, namespaces: map[string]bool{}}
	for range n {
		tr.names = append(tr.names, fmt.Sprintf("t%d-%02d", os.Getpid(), trials.Add(1)))
	}
	tr.before = take(t)
	t.Cleanup(func() {
		for _, name := range tr.names {
			if out, err := tr.lab(name, "down").CombinedOutput(); err != nil { // nothing to do, or the test has failed
				t.Errorf("down: %v\n%s", err, out)
			}
		}
	})
	return tr
}

// lab is a run of the lab's program for the lab of a name.
func (tr *trial) lab(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(tr.program, append([]string{"--name=" + name}, args...)...)
	cmd.Env = append(os.Environ(), tr.env...)
	return cmd
}

// must is a run that has to succeed.
func (tr *trial) must(name string, args ...string) string {
	tr.Helper()
	out, err := tr.lab(name, args...).CombinedOutput()
	if err != nil {
		tr.Fatalf("tsunaro-lab %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// start begins a run of up and returns when a line of its progress ends with a
// text.
func (tr *trial) start(name, line string, args ...string) *exec.Cmd {
	tr.Helper()
	cmd := tr.lab(name, append([]string{"up"}, args...)...)
	progress, err := cmd.StderrPipe()
	if err != nil {
		tr.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tr.Fatal(err)
	}
	var said bytes.Buffer
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		if strings.HasSuffix(lines.Text(), line) {
			return cmd
		}
		fmt.Fprintln(&said, lines.Text())
	}
	tr.Fatalf("%v without %q:\n%s", cmd.Wait(), line, &said)
	return nil
}

// kill ends a run of up at once.
func (tr *trial) kill(cmd *exec.Cmd) {
	tr.Helper()
	tr.observe()
	if err := cmd.Process.Kill(); err != nil {
		tr.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		tr.Fatal("it had ended")
	}
}

// patience is how long the kernel may take to end what was killed, and others to
// put back what they changed for a moment.
const patience = 30 * time.Second

// await polls until there is nothing in the list.
func (tr *trial) await(what string, list func() []string) {
	tr.Helper()
	deadline, tick := time.After(patience), time.NewTicker(100*time.Millisecond)
	defer tick.Stop()
	for {
		found := list()
		if len(found) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			tr.Fatalf("%s:\n%s", what, strings.Join(found, "\n"))
		}
	}
}

// clean checks that the machine is as it was.
func (tr *trial) clean() {
	tr.Helper()
	tr.await("not as before", tr.left)
}

// dead checks that everything ends by itself.
func (tr *trial) dead() {
	tr.Helper()
	tr.await("still running", func() (list []string) {
		for _, p := range tr.processes() {
			list = append(list, p.dir+" "+p.comm)
		}
		return list
	})
}
