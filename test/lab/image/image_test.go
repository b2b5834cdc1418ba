//go:build lab && linux

package image

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tsunaro.io/gateway/test/testbed/image"
	"tsunaro.io/gateway/test/testbed/tool"
)

// The references are those of the examples: a Pod of theirs finds the image, and
// pulls nothing.
const (
	tailscaleRef = "ghcr.io/tailscale/tailscale:v1.102.4"
	corednsRef   = "registry.k8s.io/coredns/coredns:v1.14.6"
	pauseRef     = "registry.k8s.io/pause:3.10.2"
	programRef   = "registry.example/thing:v1"
)

func TestImages(t *testing.T) {
	c := start(t)
	tailscale := c.imported(t, tailscaleRef, func() (image.Spec, error) { return image.Tailscale([]byte("certificates")) })
	coredns := c.imported(t, corednsRef, image.CoreDNS)
	c.imported(t, pauseRef, image.Pause)
	c.imported(t, programRef, func() (image.Spec, error) { return image.Program(path(t, tool.PauseName)), nil })

	t.Run("names", c.names)
	t.Run("preflight", func(t *testing.T) { preflight(t, tailscale) })
	t.Run("programs", func(t *testing.T) { programsOfTailscale(t, tailscale) })
	t.Run("port 53", func(t *testing.T) { port53(t, coredns) })
}

// imported returns the directory with the files of an image that containerd has
// imported from an archive and unpacked.
func (c containerd) imported(t *testing.T, ref string, spec func() (image.Spec, error)) string {
	t.Helper()
	s, err := spec()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := image.Cached(ref, s)
	if err != nil {
		t.Fatal(err)
	}
	c.ask(t, "images", "import", archive)
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		t.Fatal(err)
	}
	c.ask(t, "images", "mount", ref, dir)
	return dir
}

// in is a program of the image, to be run by a user.
func in(t *testing.T, dir string, user uint32, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir, Credential: &syscall.Credential{Uid: user, Gid: user}}
	return cmd
}

const nonroot = 65532

// names checks that containerd has the images under the names of the archives,
// complete, and under no others.
func (c containerd) names(t *testing.T) {
	want := []string{tailscaleRef, programRef, corednsRef, pauseRef}
	for _, list := range [][]string{{"images", "list", "--quiet"}, {"images", "check", "--quiet"}} {
		if got := strings.Fields(c.ask(t, list...)); !slices.Equal(got, want) {
			t.Errorf("ctr %v: %q, want %q", list, got, want)
		}
	}
}

// preflight runs the script of the rendered init container. Here there is no
// /dev/net/tun, and it must get as far as to say so.
func preflight(t *testing.T, dir string) {
	script, err := os.ReadFile(filepath.Join("..", "..", "..", "renderer", "objects", "preflight.sh"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := in(t, dir, nonroot, "/bin/sh", "-c", string(script)).CombinedOutput()
	if want := "preflight: /dev/net/tun is not a character device"; err == nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
}

func programsOfTailscale(t *testing.T, dir string) {
	for _, c := range []struct{ command, want string }{
		{"cat " + image.Authorities, "certificates"},
		{"stat -c %a /tmp", "1777\n"},
		{"/usr/local/bin/tailscale version", "1.102.4\n"},
		{"/usr/local/bin/tailscaled --version", "1.102.4\n"},
		{"readlink -f /tailscale/run.sh", "/usr/local/bin/containerboot\n"},
	} {
		out, err := in(t, dir, 0, "/bin/sh", "-c", c.command).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), c.want) {
			t.Errorf("%s: %v: %q, want %q", c.command, err, out, c.want)
		}
	}
}

// port53 checks that CoreDNS binds its port as nobody in particular: the published
// image's binary has a capability in its file, which archives easily lose.
func port53(t *testing.T, dir string) {
	cmd := in(t, dir, nonroot, "/coredns", "-conf", "stdin")
	cmd.Stdin = strings.NewReader(".:53 {\n whoami\n}\n")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(out); !strings.Contains(said.String(), "\nCoreDNS-"); {
		if !lines.Scan() {
			t.Errorf("it did not start: %v\n%s", lines.Err(), &said)
			break
		}
		said.WriteString(lines.Text() + "\n")
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}
