package cases

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// B30: a check of the node asked for IPv6 forwarding without IPv6 routes, or tried
// to write a sysctl that was right already on a read-only /proc.

// nobody is whom the script runs as, in the Pod and, where the test may choose,
// here.
const nobody = 65532

// node is a synthetic file tree: what is at /dev/net/tun and in ip_forward.
type node struct {
	tun     func(path string) error
	forward func(path string) error
	others  map[string]string
}

func device(target string) func(string) error {
	return func(path string) error { return os.Symlink(target, path) }
}

func file(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o444) }
}

func directory(path string) error { return os.Mkdir(path, 0o755) }

func nothing(string) error { return nil }

func socket(path string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

var (
	tun  = device("/dev/null") // a character device that everybody has
	good = file("1\n")
)

const (
	badTUN     = "is not a character device"
	unreadable = "cannot be read"
	disabled   = "is not 1"
)

// REQ: PD-02
func TestB30(t *testing.T) {
	script := preflight(t, transformer())
	cases := []struct {
		why  string
		node node
		want string // on stderr; empty: the start goes on
	}{
		{"all there, IPv6 forwarding off", node{tun, good, map[string]string{"proc/sys/net/ipv6/conf/all/forwarding": "0\n"}}, ""},
		{"no IPv6 at all", node{tun, good, nil}, ""},
		{"IPv6 on", node{tun, good, map[string]string{"proc/sys/net/ipv6/conf/all/forwarding": "1\n"}}, ""},
		{"no newline after 1", node{tun, file("1"), nil}, ""},
		// Nobody here has a terminal, so opening this device fails: it is not opened.
		{"a device that cannot be opened", node{device("/dev/tty"), good, nil}, ""},

		{"forwarding off", node{tun, file("0\n"), nil}, disabled},
		{"forwarding 2", node{tun, file("2\n"), nil}, disabled},
		{"forwarding 01", node{tun, file("01\n"), nil}, disabled},
		{"forwarding 11", node{tun, file("11\n"), nil}, disabled},
		{"forwarding -1", node{tun, file("-1\n"), nil}, disabled},
		{"forwarding empty", node{tun, file(""), nil}, disabled},
		{"forwarding an empty line", node{tun, file("\n1\n"), nil}, disabled},
		{"an empty line after 1", node{tun, file("1\n\n"), nil}, disabled},
		{"two lines", node{tun, file("1\n1\n"), nil}, disabled},
		{"a second line without end", node{tun, file("1\n1"), nil}, disabled},
		{"blank before", node{tun, file(" 1\n"), nil}, disabled},
		{"blank after", node{tun, file("1 \n"), nil}, disabled},
		{"CR", node{tun, file("1\r\n"), nil}, disabled},
		{"a backslash", node{tun, file("\\1\n"), nil}, disabled},
		{"forwarding a directory", node{tun, directory, nil}, disabled},
		{"forwarding missing", node{tun, nothing, nil}, unreadable},
		{"forwarding a dangling link", node{tun, device("nowhere"), nil}, unreadable},
		{"forwarding not readable", node{tun, func(path string) error { return os.WriteFile(path, []byte("1\n"), 0) }, nil}, unreadable},

		{"tun missing", node{nothing, good, nil}, badTUN},
		{"tun a directory", node{directory, good, nil}, badTUN},
		{"tun a file", node{file(""), good, nil}, badTUN},
		{"tun a pipe", node{func(path string) error { return syscall.Mkfifo(path, 0o666) }, good, nil}, badTUN},
		{"tun a socket", node{socket, good, nil}, badTUN},
		{"tun a dangling link", node{device("nowhere"), good, nil}, badTUN},
		{"both wrong", node{nothing, file("0\n"), nil}, badTUN},
	}
	for _, path := range blockDevices(t) {
		c := cases[0]
		c.why, c.node.tun, c.want = "tun a block device", device(path), badTUN
		cases = append(cases, c)
	}
	for _, c := range cases {
		for _, shell := range shells() {
			t.Run(c.why+"/"+shell[0], func(t *testing.T) { c.node.check(t, shell, script, c.want) })
		}
	}
}

// blockDevices returns one of this machine's, if it has any: only root could make
// one for the test.
func blockDevices(t *testing.T) []string {
	t.Helper()
	devices, err := os.ReadDir("/dev")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		if d.Type()&fs.ModeDevice != 0 && d.Type()&fs.ModeCharDevice == 0 {
			return []string{"/dev/" + d.Name()}
		}
	}
	return nil
}

// shells are the POSIX shells of this machine; sh is on every one.
func shells() [][]string {
	found := [][]string{{"sh"}}
	for _, s := range [][]string{{"dash"}, {"bash"}, {"busybox", "sh"}, {"ksh"}, {"mksh"}} {
		if _, err := exec.LookPath(s[0]); err == nil {
			found = append(found, s)
		}
	}
	return found
}

// preflight returns the script of the rendered init container, and sees to it that
// the container has nothing but the script.
func preflight(t *testing.T, l kustomize.Layer) string {
	t.Helper()
	sts := kustomize.Parse(t, kustomize.Build(t, l.Write(t)).Must(t).Stdout)[statefulSet]
	c := kustomize.Container(t, sts, "kernel-preflight")
	for path, want := range map[string]any{
		"command[0]": "/bin/sh", "command[1]": "-c", "command[3]": nil, "args": nil, "env": nil,
		"securityContext.runAsUser": nobody, "securityContext.runAsNonRoot": true,
		"securityContext.readOnlyRootFilesystem": true, "securityContext.allowPrivilegeEscalation": false,
		"securityContext.capabilities.add": nil, "securityContext.capabilities.drop[0]": "ALL", "securityContext.privileged": nil,
		"volumeMounts[0].mountPath": "/dev/net/tun", "volumeMounts[0].readOnly": true, "volumeMounts[1]": nil,
	} {
		if got, ok := kustomize.At(c, path); ok != (want != nil) || got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	return str(t, c, "command[2]")
}

// check runs the script on the node as nobody, without any program on PATH, and
// compares the tree before and after.
func (n node) check(t *testing.T, shell []string, script, want string) {
	t.Helper()
	root := n.make(t)
	before := tree(t, root)
	here := strings.NewReplacer("=/dev/", "="+root+"/dev/", "=/proc/", "="+root+"/proc/").Replace(script)
	if strings.Count(here, root) != 2 {
		t.Fatalf("the script looks at other places than the two:\n%s", script)
	}
	path, err := exec.LookPath(shell[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(shell[1:len(shell):len(shell)], "-c", here)...)
	cmd.Env = []string{"PATH=" + filepath.Join(root, "no-programs")}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: true}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if after := tree(t, root); after != before {
		t.Errorf("the tree changed:\n%s\nwas\n%s", after, before)
	}
	if want == "" {
		if err != nil || !strings.HasPrefix(stdout.String(), "preflight: ") {
			t.Errorf("%v: %s%s", err, &stdout, &stderr)
		}
		return
	}
	if cmd.ProcessState.ExitCode() != 1 || stdout.Len() > 0 {
		t.Errorf("exit code %d, stdout %q; want 1 and nothing", cmd.ProcessState.ExitCode(), &stdout)
	}
	if !strings.Contains(stderr.String(), "preflight: ") || !strings.Contains(stderr.String(), want) {
		t.Errorf("stderr %q, want %q", &stderr, want)
	}
}

// make writes the tree and takes the right to write to it away.
func (n node) make(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	// The script runs as another user when the test runs as root.
	if err := os.Chmod(filepath.Dir(root), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, f func(string) error) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := f(path); err != nil {
			t.Fatal(err)
		}
	}
	write("dev/net/tun", n.tun)
	write("proc/sys/net/ipv4/ip_forward", n.forward)
	for name, text := range n.others {
		write(name, file(text))
	}
	var dirs []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	mode := func(m fs.FileMode) {
		for _, dir := range dirs {
			if err := os.Chmod(dir, m); err != nil {
				t.Error(err)
			}
		}
	}
	mode(0o555)
	t.Cleanup(func() { mode(0o755) })
	return root
}

// tree describes every file below root: mode, size and time of the last change.
func tree(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// As it is written the script opens one file, for reading, and runs no program: the
// only other redirection is of its own words to stderr. It does not know IPv6.
//
// REQ: PD-02
func TestB30Text(t *testing.T) {
	script := preflight(t, transformer())
	rest := strings.ReplaceAll(script, ">&2", "")
	if strings.Contains(rest, ">") || strings.Count(rest, "<") != 1 || !strings.Contains(rest, `< "$forward"`) {
		t.Errorf("the script opens something else:\n%s", script)
	}
	for _, word := range []string{"ipv6", "sysctl -w", "eval", "exec", "`", "$(", "${", "sudo", "chmod", "mknod", "tee", "&&  "} {
		if strings.Contains(script, word) {
			t.Errorf("the script holds %q", word)
		}
	}
	// It is the same for every gateway.
	for why, files := range map[string]kustomize.Layer{
		"more routes": edited(t, "gateway.yaml", `["192.0.2.0/24"]`, `["192.0.2.0/24", "203.0.113.0/24"]`),
		"AAAA data":   gateway("    records:\n    - name: six\n      addresses: [\"2001:db8::7\"]\n"),
		"sysctls":     gateway("  pod:\n    sysctls: [{name: net.ipv4.ip_forward, value: \"1\"}]\n"),
	} {
		if preflight(t, transformer().With(files)) != script {
			t.Errorf("%s: another script", why)
		}
	}
}

// IPv6 routes are refused before there is any Pod.
//
// REQ: LC-07
func TestB30IPv6(t *testing.T) {
	for _, prefix := range []string{"2001:db8::/48", "::/0", "fd00::/8", "2001:db8::1/128"} {
		files := edited(t, "gateway.yaml", `["192.0.2.0/24"]`, `["192.0.2.0/24", "`+prefix+`"]`)
		for form, layer := range forms {
			t.Run(form+"/"+prefix, func(t *testing.T) {
				kustomize.Build(t, layer().With(files).Write(t)).Refused(t, "prefix-ipv6 TailnetGateway/gw1 spec.routes.lan[1]")
			})
		}
	}
}
