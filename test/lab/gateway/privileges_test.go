//go:build lab && linux

package gateway

import (
	"fmt"
	"strings"
)

// Capabilities as bits of the kernel's masks (capability.h).
const (
	netBindService = 1 << 10
	netAdmin       = 1 << 12
)

// privileges looks at what the containers may do: as the runtime was told, as the
// kernel knows every process, and by trying.
//
// REQ: PD-01, PD-02
func (g *gateway) privileges() {
	pod := g.AwaitReady(namespace, g.podName())
	node := g.process("1")
	for _, want := range []struct {
		name         string
		user         uint32
		capabilities uint64
		names        []string
	}{
		{"kernel-preflight", 65532, 0, nil},
		{"tailscale", 0, netAdmin, []string{"CAP_NET_ADMIN"}},
		{"coredns", 65532, netBindService, []string{"CAP_NET_BIND_SERVICE"}},
	} {
		c := g.container(pod, want.name)
		g.confined(c, want.user, want.names)
		for _, p := range c.processes {
			g.unprivileged(c.name, p, node, want.user, want.capabilities)
		}
		for _, at := range []string{"/", "/proc/sys", "/sys"} {
			if m, ok := c.mounts[at]; len(c.processes) > 0 && (!ok || !m.readOnly()) {
				g.Errorf("%s: %s is mounted %q", c.name, at, m.options)
			}
		}
	}
	if n := len(g.container(pod, "tailscale").processes); n != 2 {
		g.Errorf("%d processes, want containerboot and tailscaled", n)
	}
	for _, command := range []string{"echo 0 > /proc/sys/net/ipv4/ip_forward", "touch /tailscale", "mount -t tmpfs tmpfs /tmp"} {
		if r := g.Exec(namespace, g.podName(), "tailscale", "sh", "-c", command); r.Code == 0 {
			g.Errorf("%s: succeeded", command)
		}
	}
	// Kernel mode: the node's address is on an interface of the Pod.
	address := g.online().Addresses[0]
	if r := g.Exec(namespace, g.podName(), "tailscale", "ip", "addr", "show", "tailscale0"); !strings.Contains(r.Stdout, address+"/32") {
		g.Errorf("tailscale0 has not the address %s:\n%s%s", address, r.Stdout, r.Stderr)
	}
}

// confined checks what the runtime was told.
func (g *gateway) confined(c container, user uint32, capabilities []string) {
	g.Helper()
	p, linux := c.spec.Process, c.spec.Linux
	if p.User.UID != user || p.User.GID != user || !p.NoNew || !c.spec.Root.Readonly {
		g.Errorf("%s: user %v, no new privileges %t, read-only root %t", c.name, p.User, p.NoNew, c.spec.Root.Readonly)
	}
	for kind, got := range p.Capabilities {
		if fmt.Sprint(got) != fmt.Sprint(capabilities) {
			g.Errorf("%s: %s capabilities %v, want %v", c.name, kind, got, capabilities)
		}
	}
	if linux.Seccomp == nil || linux.Seccomp.DefaultAction != "SCMP_ACT_ERRNO" || len(linux.MaskedPaths) == 0 || len(linux.ReadonlyPaths) == 0 {
		g.Errorf("%s: privileged, or without a seccomp profile", c.name)
	}
}

// unprivileged checks what the kernel knows of a process.
func (g *gateway) unprivileged(name string, p, node process, user uint32, capabilities uint64) {
	g.Helper()
	for field, want := range map[string]string{
		"Uid": strings.TrimSpace(strings.Repeat(fmt.Sprint(user, " "), 4)),
		"Gid": strings.TrimSpace(strings.Repeat(fmt.Sprint(user, " "), 4)),

		"CapPrm": fmt.Sprintf("%016x", capabilities), "CapEff": fmt.Sprintf("%016x", capabilities), "CapBnd": fmt.Sprintf("%016x", capabilities),
		"CapInh": fmt.Sprintf("%016x", 0), "CapAmb": fmt.Sprintf("%016x", 0),
		"NoNewPrivs": "1", "Seccomp": "2",
	} {
		if p.status[field] != want {
			g.Errorf("%s: %s has %s %q, want %q", name, p.status["Name"], field, p.status[field], want)
		}
	}
	for kind, of := range p.namespaces {
		if of == node.namespaces[kind] {
			g.Errorf("%s is in the node's own %s namespace", name, kind)
		}
	}
}
