package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"tsunaro.io/gateway/test/testbed/tool"
)

// packages are the programs of the machine itself that a lab runs, and the Debian
// packages that have them.
var packages = []struct {
	program, pkg string
	part         Part // that needs it; "" is every lab
}{
	{"ip", "iproute2", ""},
	{"nft", "nftables", ""},
	{"nsenter", "util-linux", ""},
	{"git", "git", Git},
	{RedisProgram, "redis-tools", ArgoCD}, // not redis-server, which would start one on the machine
}

// RedisProgram is Redis: as which of its programs it runs is decided by the name
// that it is called by.
const RedisProgram = "redis-check-rdb"

// prerequisites installs the Debian packages that are missing, all at once.
func prerequisites(parts []Part) error {
	if os.Geteuid() != 0 {
		return errors.New("a lab needs root: it makes namespaces, and mounts and networks in them")
	}
	missing, err := missing(parts)
	if err != nil || len(missing) == 0 {
		return err
	}
	return install(missing)
}

// missing are the packages that this machine lacks for a lab of the parts, sorted.
func missing(parts []Part) ([]string, error) {
	var list []string
	for _, p := range packages {
		if p.part != "" && !slices.Contains(parts, p.part) {
			continue
		}
		if _, err := exec.LookPath(p.program); err != nil {
			list = append(list, p.pkg)
		}
	}
	if slices.Contains(parts, Node) {
		for _, name := range []string{"runc", tool.BusyboxName} {
			more, err := tool.Missing(name)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// install installs packages, and says so.
func install(list []string) error {
	names := strings.Join(list, " ")
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return fmt.Errorf("a lab needs what Debian has in %s, and there is no apt-get here to install it", names)
	}
	fmt.Fprintf(os.Stderr, "installing the Debian packages %s\n", names)
	for _, args := range [][]string{{"update", "-qq"}, append([]string{"install", "-y", "-qq", "--no-install-recommends"}, list...)} {
		cmd := exec.Command(apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("a lab needs the Debian packages %s: apt-get %s: %w\n%s", names, args[0], err, out)
		}
	}
	return nil
}
