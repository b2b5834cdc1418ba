//go:build lab && linux

package sandbox

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// inside marks the process whose network and mounts are its own.
const inside = "TSUNARO_TEST_CONTROL"

// The comparison sees a change of every kind. It is made in network and mount
// namespaces that end with the test.
func TestControl(t *testing.T) {
	if os.Getenv(inside) == "" {
		cmd := exec.Command("unshare", "--net", "--mount", "--propagation=private", os.Args[0], "-test.run=^TestControl$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	for _, c := range []struct{ command, want string }{
		{"mount -t tmpfs tmpfs /mnt", "new: mount "},
		{"ip link add t0 type bridge", "new: link "},
		{"ip addr add 127.9.9.9/32 dev lo", "new: address "},
		{"ip link set lo up", "new: route "},
		{"ip route add 198.51.100.0/24 dev lo", "new: route "},
		{"ip rule add from 198.51.100.1 table 9", "new: rule "},
		{"nft add table inet t", "changed: nftables "},
		{"sysctl -q net.ipv4.ip_forward=1", "changed: sysctl net/ipv4/ip_forward "},
		{"mount -t tmpfs tmpfs /run && mkdir -p /run/netns && touch /run/netns/t", "new: file /run/netns/t "},
		{"mount -t tmpfs tmpfs /etc && touch /etc/resolv.conf", "changed: the text of /etc/resolv.conf "},
	} {
		before := take(t)
		if out, err := exec.Command("sh", "-c", c.command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.command, err, out)
		}
		found := strings.Join(before.differences(take(t)), "\n")
		if !strings.Contains(found, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.command, c.want, found)
		}
	}
}
