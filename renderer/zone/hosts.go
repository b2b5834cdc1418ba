package zone

import (
	"net/netip"
	"strings"

	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// Bounds of a hosts source (DN-06).
const (
	MaxHostsBytes = 1 << 20
	MaxHostsNames = 16384
)

// Problem is a rule broken by the hosts source; Line counts from 1, and is 0 for
// the source as a whole.
type Problem struct {
	Rule rules.ID
	Line int
}

const byteOrderMark = "\ufeff"

// hosts is what a hosts source says about the names of some zones.
type hosts map[model.Name][]netip.Addr

// parseHosts reads a hosts source. A line concerns the gateway if it has a
// single field, or if any of its fields is a name in one of the zones; such a
// line must be right, and all others are ignored (DN-13).
func parseHosts(text string, primary model.Name, extra []model.ExtraZone) (hosts, []Problem) {
	if len(text) > MaxHostsBytes {
		return nil, []Problem{{rules.HostsSize, 0}}
	}
	h := hosts{}
	var problems []Problem
	number := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(text, byteOrderMark), "\n") {
		number++
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if id := h.line(fields, primary, extra); id != "" {
			problems = append(problems, Problem{id, number})
		}
	}
	if len(h) > MaxHostsNames {
		problems = append(problems, Problem{rules.HostsNames, 0})
	}
	return h, problems
}

// line adds the names of one line, or returns the rule that it breaks.
func (h hosts) line(fields []string, primary model.Name, extra []model.ExtraZone) rules.ID {
	// Several final dots are a name of ours all the same, and a wrong one.
	ours := func(field string) bool {
		return inZones(model.Name(strings.ToLower(strings.TrimRight(field, "."))), primary, extra)
	}
	switch {
	case len(fields) == 1:
		return rules.HostsLine
	case ours(fields[0]):
		return rules.HostsAddress
	}
	addr, addrOK := model.ParseUnicast(strings.ToLower(fields[0]))
	for _, field := range fields[1:] {
		if !ours(field) {
			continue
		}
		name, ok := model.ParseName(model.FoldName(field))
		switch {
		case !addrOK:
			return rules.HostsAddress
		case !ok:
			return rules.HostsName
		case name == primary:
			return rules.HostsApex
		}
		h[name] = append(h[name], addr)
	}
	return ""
}

func inZones(n, primary model.Name, extra []model.ExtraZone) bool {
	if n.In(primary) {
		return true
	}
	for _, e := range extra {
		if n.In(e.Zone) {
			return true
		}
	}
	return false
}
