//go:build lab && linux

package dns

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/lab/dns/internal/rendered"
	"tsunaro.io/gateway/test/testbed/coredns"
	"tsunaro.io/gateway/test/testbed/netns"
)

// Addresses of the namespace beside its own: those of the upstreams.
const (
	upstream4 = "192.0.2.53"
	upstream6 = "2001:db8::53"
)

func TestMain(m *testing.M) {
	netns.Main(m, coredns.Prepare, upstream4+"/32", upstream6+"/128")
}

// TestListeners looks at what listens in the namespace while CoreDNS runs there,
// with two server blocks: DNS and metrics, nothing else. The namespace itself has
// no way out.
//
// REQ: DN-11
func TestListeners(t *testing.T) {
	interfaces, err := net.Interfaces()
	if err != nil || len(interfaces) != 1 || interfaces[0].Name != "lo" {
		t.Fatalf("interfaces %v (%v), want lo alone", interfaces, err)
	}
	coredns.Start(t, rendered.New(t, legacy).Rendered)
	want := []string{"tcp/53", "tcp/9153", "udp/53"}
	if got := listeners(t); !slices.Equal(got, want) {
		t.Errorf("listening on %v, want %v", got, want)
	}
}

// listeners reads the kernel's tables of sockets, where a server's has state TCP
// 0A or UDP 07 (proc_pid_net(5)).
func listeners(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, table := range []struct{ file, state string }{{"tcp", "0A"}, {"tcp6", "0A"}, {"udp", "07"}, {"udp6", "07"}} {
		text, err := os.ReadFile("/proc/self/net/" + table.file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			_, hex, ok := strings.Cut(fields[1], ":")
			if !ok || fields[3] != table.state {
				continue
			}
			var port int
			if _, err := fmt.Sscanf(hex, "%X", &port); err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprintf("%s/%d", strings.TrimSuffix(table.file, "6"), port))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
