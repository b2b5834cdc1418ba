package coredns

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tsunaro.io/gateway/test/testbed/tool"
)

// path is where Prepare leaves the executable's path for the tests.
const path = "TSUNARO_TEST_COREDNS"

const capNetBindService = 10 // linux/capability.h

// Prepare builds the pinned CoreDNS where the cache lacks it. It is the prepare
// of netns.Main.
func Prepare() error {
	file, err := tool.Path("coredns")
	if err != nil {
		return err
	}
	return os.Setenv(path, file)
}

// Server is a running CoreDNS.
type Server struct {
	t      testing.TB
	volume volume
	cmd    *exec.Cmd
	log    output
	ended  chan struct{} // closed when the process is gone
}

// Start projects the rendered ConfigMap, starts CoreDNS as rendered, and waits
// until it listens. The end of the test stops it and, where the test failed,
// prints what it logged.
func Start(t testing.TB, r Rendered) *Server {
	t.Helper()
	s := &Server{t: t, ended: make(chan struct{})}
	dir, err := os.MkdirTemp("", "coredns") // not the test's own: the server's user may not enter that
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.volume = volume{dir: dir, mode: r.Mode, items: r.Keys}
	s.Swap(r.Data)
	s.start(r)
	t.Cleanup(s.Stop)
	if !s.log.wait("\nCoreDNS-", s.ended, 10*time.Second) {
		t.Fatal("CoreDNS does not start")
	}
	return s
}

// start runs the executable through a descriptor: it may lie where only root may
// look.
func (s *Server) start(r Rendered) {
	s.t.Helper()
	file, err := os.Open(os.Getenv(path))
	if err != nil {
		s.t.Fatalf("%v (netns.Main was to call coredns.Prepare)", err)
	}
	defer file.Close()
	s.cmd = exec.Command("/proc/self/fd/3", r.Args...)
	s.cmd.Args[0] = "coredns"
	s.cmd.ExtraFiles = []*os.File{file}
	s.cmd.Dir = s.volume.dir
	s.cmd.Env = []string{}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: r.UID, Gid: r.GID},
		Pdeathsig:  syscall.SIGKILL,
	}
	if r.Bind {
		s.cmd.SysProcAttr.AmbientCaps = []uintptr{capNetBindService}
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		if err := s.cmd.Wait(); err != nil {
			fmt.Fprintf(&s.log, "\nCoreDNS ended: %v\n", err)
		}
	}()
}

// Stop asks CoreDNS to end, as the kubelet does, and waits for it.
func (s *Server) Stop() {
	s.t.Helper()
	// Its only error is that the process has ended, which is what is wanted.
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
		if !s.cmd.ProcessState.Success() {
			s.t.Errorf("CoreDNS: %v", s.cmd.ProcessState)
		}
	case <-time.After(10 * time.Second):
		s.t.Error("CoreDNS does not stop")
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	if s.t.Failed() {
		s.t.Logf("CoreDNS wrote:\n%s", s.Log())
	}
}

// Swap projects other data of the ConfigMap, in one step.
func (s *Server) Swap(data map[string]string) {
	s.t.Helper()
	if err := s.volume.write(data); err != nil {
		s.t.Fatal(err)
	}
}

// Log is what CoreDNS wrote so far.
func (s *Server) Log() string { return s.log.String() }

// Process tells one run of CoreDNS from every other: the process's number, and
// the time at which its own metrics say that it started.
type Process struct {
	PID     int
	Started string
}

// Process fails the test if CoreDNS is not running.
func (s *Server) Process() Process {
	s.t.Helper()
	select {
	case <-s.ended:
		s.t.Fatal("CoreDNS has ended")
	default:
	}
	return Process{s.cmd.Process.Pid, s.Metric("process_start_time_seconds")}
}

// Metric returns the value of a metric without labels.
func (s *Server) Metric(name string) string {
	s.t.Helper()
	response, err := http.Get("http://127.0.0.1:9153/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return value
		}
	}
	s.t.Fatalf("CoreDNS has no metric %s", name)
	return ""
}

// RSS is the resident memory of the process, in bytes: now, and at its highest.
func (s *Server) RSS() (now, peak int64) {
	s.t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "status"))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			now = kib << 10
		}
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			peak = kib << 10
		}
	}
	return now, peak
}

// CPU is the processor time that the process has used, as the kernel's ticks
// tell it: in hundredths of a second.
func (s *Server) CPU() time.Duration {
	s.t.Helper()
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "stat"))
	if err != nil {
		s.t.Fatal(err)
	}
	// proc_pid_stat(5): utime and stime are the 14th and 15th field; the second,
	// in parentheses, may hold anything.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			s.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// output is a process's output that can be waited on.
type output struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{} // closed at the next write; nil while nobody waits
}

var _ io.Writer = (*output)(nil)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// wait reports whether the output came to hold text before the process ended and
// the time was over.
func (o *output) wait(text string, ended <-chan struct{}, limit time.Duration) bool {
	timeout := time.After(limit)
	for {
		o.mu.Lock()
		found := strings.Contains("\n"+o.text.String(), text)
		if o.changed == nil {
			o.changed = make(chan struct{})
		}
		changed := o.changed
		o.mu.Unlock()
		if found {
			return true
		}
		select {
		case <-changed:
		case <-ended:
			return false
		case <-timeout:
			return false
		}
	}
}
