package inside

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"tsunaro.io/gateway/test/testbed/lab"
)

// network lays out the node's own addresses. The bridge stands for an interface
// that has no other side: not every kernel has dummy ones.
const network = `
link set lo up
link add node0 type bridge
addr add ` + lab.NodeAddress + `/24 dev node0
link set node0 up
route add ` + lab.ServiceCIDR + ` dev node0
route add ` + lab.BalancerCIDR + ` dev node0
`

const internet = `
addr add ` + lab.HeadscaleAddress + `/32 dev node0
`

const git = `
addr add ` + lab.GitAddress + `/32 dev node0
`

const lan = `
netns add lan
link add lan0 type veth peer name eth0 netns lan
addr add ` + lab.LANGateway + `/24 dev lan0
link set lan0 up
-n lan link set lo up
-n lan addr add ` + lab.LANHost + `/24 dev eth0
-n lan link set eth0 up
-n lan route add default via ` + lab.LANGateway + `
`

// The laptop has one route, and the firewall below lets nothing through: all it
// reaches is what listens on the node for the internet.
const laptop = `
netns add laptop
link add laptop0 type veth peer name eth0 netns laptop
addr add ` + lab.LaptopGateway + `/24 dev laptop0
link set laptop0 up
-n laptop link set lo up
-n laptop addr add ` + lab.LaptopAddress + `/24 dev eth0
-n laptop link set eth0 up
-n laptop route add ` + lab.HeadscaleAddress + `/32 via ` + lab.LaptopGateway + `
`

const firewall = `
table inet lab {
	chain forward {
		type filter hook forward priority -10;
		iifname laptop0 drop
		oifname laptop0 drop
	}
	chain input {
		type filter hook input priority -10;
		iifname laptop0 ip daddr != ` + lab.HeadscaleAddress + ` drop
	}
}
`

func (l *Lab) networks(ctx context.Context) error {
	plan := network
	if l.spec.Has(lab.Headscale) {
		plan += internet
	}
	if l.spec.Has(lab.Git) {
		plan += git
	}
	if l.spec.Has(lab.LAN) {
		plan += lan
	}
	if l.spec.Has(lab.Laptop) {
		plan += laptop
	}
	for line := range strings.Lines(plan) {
		if args := strings.Fields(line); len(args) > 0 {
			if err := l.run(ctx, lab.OnNode, "ip", args...); err != nil {
				return err
			}
		}
	}
	if l.spec.Has(lab.Laptop) {
		nft := exec.Command("nft", "-f", "-")
		nft.Stdin = strings.NewReader(firewall)
		if out, err := nft.CombinedOutput(); err != nil {
			return fmt.Errorf("nft: %w\n%s", err, out)
		}
	}
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644)
}

// names makes the machine's own resolver know the names of the lab, and no
// other. /etc is the sandbox's.
func (l *Lab) names() error {
	hosts := "127.0.0.1 localhost\n" + lab.HeadscaleAddress + " " + lab.HeadscaleName + "\n" + lab.GitAddress + " " + lab.GitName + "\n"
	if err := os.WriteFile("/etc/hosts", []byte(hosts), 0o644); err != nil {
		return err
	}
	return os.WriteFile("/etc/resolv.conf", []byte("# no server: there is no way out of a lab\n"), 0o644)
}
