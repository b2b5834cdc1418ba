//go:build lab && linux

package sandbox

import (
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// pod is one of a lab's own images, for the mounts, cgroups and networks that a
// node makes.
const pod = `apiVersion: v1
kind: Pod
metadata: {name: something, namespace: default}
spec:
  containers: [{name: pause, image: "` + lab.PauseImage + `", imagePullPolicy: Never}]
  volumes: [{name: memory, emptyDir: {medium: Memory}}]
`

// A whole lab, with a Pod in it, and its regular end.
func TestUpAndDown(t *testing.T) {
	tr := begin(t, 1)
	name := tr.names[0]
	tr.must(name, "up")
	l := tr.find(name)
	w := labtest.New(t, l)
	w.Must(apiserver.Admin, pod, "apply", "-f", "-")
	w.AwaitReady("default", "something")
	tr.observe()
	if len(tr.groups()) == 0 {
		t.Error("the lab has no cgroup")
	}
	tr.noWayOut(l)
	tr.documented(name)
	if out := tr.must(name, "down"); !strings.Contains(out, "has ended") {
		t.Errorf("down said %q", out)
	}
	tr.clean()
}

func (tr *trial) find(name string) *lab.Lab {
	tr.Helper()
	l, err := lab.Find(name)
	if err != nil || l == nil {
		tr.Fatalf("no lab %s: %v", name, err)
	}
	return l
}

// documented runs what docs/lab.md tells people to run in a lab.
func (tr *trial) documented(name string) {
	tr.Helper()
	page, err := os.ReadFile("../../../docs/lab.md")
	if err != nil {
		tr.Fatal(err)
	}
	commands := 0
	for line := range strings.Lines(string(page)) {
		if command, ok := strings.CutPrefix(line, "    tsunaro-lab run "); ok {
			command, _, _ = strings.Cut(command, " #")
			tr.must(name, append([]string{"run"}, strings.Fields(command)...)...)
			commands++
		}
	}
	if commands < 3 {
		tr.Errorf("docs/lab.md shows %d commands", commands)
	}
	for _, want := range []string{"kube-apiserver", "running", "MiB", "export KUBECONFIG="} {
		if status := tr.must(name, "status"); !strings.Contains(status, want) {
			tr.Errorf("status lacks %q:\n%s", want, status)
		}
	}
}

// noWayOut checks that nobody in the lab reaches a server of the machine.
func (tr *trial) noWayOut(l *lab.Lab) {
	tr.Helper()
	server, err := net.Listen("tcp4", ":0")
	if err != nil {
		tr.Fatal(err)
	}
	defer server.Close()
	own, err := net.InterfaceAddrs()
	if err != nil {
		tr.Fatal(err)
	}
	_, port, err := net.SplitHostPort(server.Addr().String())
	if err != nil {
		tr.Fatal(err)
	}
	for _, a := range own {
		address, err := netip.ParsePrefix(a.String())
		if err != nil || !address.Addr().Is4() {
			continue
		}
		for _, space := range []string{lab.OnNode, lab.OnLAN, lab.OnLaptop} {
			ctx, cancel := context.WithTimeout(tr.Context(), time.Second)
			c, err := l.Dial(ctx, space, "tcp", net.JoinHostPort(address.Addr().String(), port))
			cancel()
			if err == nil {
				c.Close()
				tr.Errorf("%q reaches the machine's %s", space, address)
			}
		}
	}
}

// The start is killed when it is thus far. All ends with it; the rest is removed
// by whoever comes next, such as down.
func TestKilledStart(t *testing.T) {
	for _, component := range []string{"network", "containerd", "kube-apiserver", "node-ready"} {
		t.Run(component, func(t *testing.T) {
			tr := begin(t, 1)
			tr.kill(tr.start(tr.names[0], " "+component))
			tr.dead()
			tr.must(tr.names[0], "down")
			tr.clean()
		})
	}
}

// A start that somebody interrupts cleans up by itself.
func TestInterruptedStart(t *testing.T) {
	tr := begin(t, 1)
	cmd := tr.start(tr.names[0], " etcd")
	tr.observe()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	tr.clean()
}

// The start is killed while a program is compiled or linked: the compiler ends with
// it. The programs go into an empty cache.
func TestKilledBuild(t *testing.T) {
	tr := begin(t, 1)
	cache := t.TempDir()
	tr.mark = "TSUNARO_CACHE=" + cache
	tr.env = []string{tr.mark, "TMPDIR=" + t.TempDir()}
	cmd := tr.start(tr.names[0], "(once, then cached)")
	tr.await("no compiler runs", func() []string {
		for _, p := range tr.processes() {
			if p.comm == "compile" || p.comm == "link" {
				return nil
			}
		}
		return []string{"none"}
	})
	tr.kill(cmd)
	tr.dead()
	tr.must(tr.names[0], "down")
	tr.clean()
	if half, err := filepath.Glob(cache + "/tools/*/etcd"); err != nil || len(half) > 0 {
		t.Errorf("half a program is in the cache: %v %v", half, err)
	}
}

// The process that is the lab is killed. The next start removes what is left, and
// is as good as the first.
func TestKilledLab(t *testing.T) {
	tr := begin(t, 1)
	name := tr.names[0]
	parts := "--only=headscale,lan,laptop"
	tr.must(name, "up", parts)
	first := tr.find(name)
	tr.observe()
	if err := syscall.Kill(first.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	tr.dead()
	if l, err := lab.Find(name); err != nil || l != nil {
		t.Fatalf("the dead lab is found: %v, %v", l, err)
	}
	tr.must(name, "up", parts)
	second := tr.find(name)
	if second.PID() == first.PID() {
		t.Errorf("process %d is still there", first.PID())
	}
	tr.healthy(second)
	if body, err := labtest.New(t, second).Get(t.Context(), lab.OnNode, "http://"+lab.LANHost+"/"); err != nil || !strings.HasPrefix(body, lab.LANGateway+":") {
		t.Errorf("the LAN host: %q, %v", body, err)
	}
	tr.observe()
	tr.must(name, "down")
	tr.clean()
}

// healthy checks that all components of a lab run.
func (tr *trial) healthy(l *lab.Lab) {
	tr.Helper()
	components, err := l.Components(tr.Context())
	if err != nil || len(components) == 0 {
		tr.Fatalf("%d components: %v", len(components), err)
	}
	for _, c := range components {
		if c.State != "running" {
			tr.Errorf("%s is %s", c.Name, c.State)
		}
	}
}

// Two labs have the same addresses and know nothing of each other. The end of one
// is not the other's.
func TestTwoLabs(t *testing.T) {
	tr := begin(t, 2)
	var uids []string
	for _, name := range tr.names {
		tr.must(name, "up", "--only=control-plane,laptop")
	}
	for _, name := range tr.names {
		l := tr.find(name)
		tr.healthy(l)
		client := labtest.New(t, l).Client(apiserver.Admin)
		ns, err := client.CoreV1().Namespaces().Get(t.Context(), "kube-system", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		uids = append(uids, string(ns.UID))
		nodes, err := labtest.New(t, l).Headscale().Nodes(t.Context())
		if err != nil || len(nodes) != 1 {
			t.Errorf("%s: %d nodes, want its laptop: %v", name, len(nodes), err)
		}
	}
	if slices.Sort(uids); len(slices.Compact(uids)) != 2 {
		t.Errorf("both labs are one cluster: %v", uids)
	}
	tr.observe()
	tr.must(tr.names[0], "down")
	tr.healthy(tr.find(tr.names[1]))
	tr.must(tr.names[1], "down")
	tr.clean()
}
