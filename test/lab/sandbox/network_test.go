//go:build lab && linux

package sandbox

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

// run returns what a program of the machine writes.
func run(program string, args ...string) ([]byte, error) {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return out, nil
}

// lifetimes are fields of ip's answers that count down by themselves.
var lifetimes = []string{"valid_life_time", "preferred_life_time", "expires"}

// network are links, addresses, routes and rules, as ip tells them.
func network(s snapshot) error {
	for what, args := range map[string][]string{
		"link":     {"link", "show"},
		"address":  {"address", "show"},
		"route":    {"route", "show", "table", "all"},
		"route 6":  {"-6", "route", "show", "table", "all"},
		"rule":     {"rule", "show"},
		"rule 6":   {"-6", "rule", "show"},
		"netns id": {"netns", "list-id"},
	} {
		out, err := run("ip", append([]string{"-json"}, args...)...)
		if err != nil {
			return err
		}
		var list []any
		if err := json.Unmarshal(out, &list); len(out) > 0 && err != nil {
			return fmt.Errorf("ip %v: %w", args, err)
		}
		for _, entry := range list {
			text, err := json.Marshal(still(entry))
			if err != nil {
				return err
			}
			s[what+" "+string(text)] = ""
		}
	}
	return nil
}

// still is a value without its lifetimes.
func still(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range lifetimes {
			delete(v, name)
		}
		for name := range v {
			v[name] = still(v[name])
		}
	case []any:
		for i := range v {
			v[i] = still(v[i])
		}
	}
	return value
}

// firewall is the rule set without its counters.
func firewall(s snapshot) error {
	out, err := run("nft", "--stateless", "list", "ruleset")
	s["nftables"] = string(out)
	return err
}
