//go:build lab && linux

package image

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tsunaro.io/gateway/test/testbed/netns"
	"tsunaro.io/gateway/test/testbed/tool"
)

// programs are built before there is no network.
var programs = []string{"containerd", "ctr", "containerboot", "tailscaled", "tailscale", "coredns", tool.PauseName, tool.BusyboxName}

func TestMain(m *testing.M) {
	netns.Main(m, func() error {
		for _, name := range programs {
			if _, err := tool.Path(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// configuration of a containerd that stores images and runs nothing. Its plugins
// that write outside of its own directory are off.
const configuration = `version = 3
root = "%[1]s/root"
state = "%[1]s/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.nri.v1.nri"]

[grpc]
address = "%[1]s/socket"

[ttrpc]
address = "%[1]s/socket.ttrpc"
`

// containerd is a running one, and ctr, which asks it.
type containerd struct {
	ctr, socket string
}

func start(t *testing.T) containerd {
	t.Helper()
	// Not t.TempDir: ctr leaves mounts in it, which end with this process's namespace.
	dir, err := os.MkdirTemp("", "containerd")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, configuration, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(path(t, "containerd"), "--config", config, "--log-level", "warn")
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("containerd said:\n%s", &log)
		}
	})
	c := containerd{ctr: path(t, "ctr"), socket: filepath.Join(dir, "socket")}
	c.wait(t)
	return c
}

// wait returns when somebody listens on the socket.
func (c containerd) wait(t *testing.T) {
	t.Helper()
	deadline, retry := time.After(30*time.Second), time.NewTicker(10*time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := net.Dial("unix", c.socket)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case <-retry.C:
		case <-deadline:
			t.Fatalf("containerd does not listen: %v", err)
		}
	}
}

// ask runs ctr in the namespace of the kubelet's images.
func (c containerd) ask(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args = append([]string{"--address", c.socket, "--namespace", "k8s.io"}, args...)
	cmd := exec.CommandContext(ctx, c.ctr, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ctr %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

func path(t *testing.T, name string) string {
	t.Helper()
	p, err := tool.Path(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
