package view

import (
	"fmt"
	"slices"
	"strings"
)

// Change is something that is otherwise than it was. Was is empty for what is new,
// Is for what is gone.
type Change struct {
	What string `json:"what"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// Changes are what has changed from one view of a gateway to the next, in the order
// of the tree. What only grows older has not.
func Changes(before, after Gateway) []Change {
	was, is := before.facts(), after.facts()
	var out []Change
	for _, f := range is {
		if i := slices.IndexFunc(was, func(w fact) bool { return w.what == f.what }); i < 0 {
			out = append(out, Change{f.what, "", f.is})
		} else if was[i].is != f.is {
			out = append(out, Change{f.what, was[i].is, f.is})
		}
	}
	for _, w := range was {
		if !slices.ContainsFunc(is, func(f fact) bool { return f.what == w.what }) {
			out = append(out, Change{w.what, w.is, ""})
		}
	}
	return out
}

// fact is one thing that may change.
type fact struct{ what, is string }

func (g Gateway) facts() []fact {
	facts := []fact{
		{"health", strings.TrimSpace(g.Health + " " + g.Reason)},
		{"message", g.Message},
		{"minter", fmt.Sprintf("running: %s, generation %d of %d", g.Minter.Running, g.Minter.Seen, g.Minter.Generation)},
		{"node", strings.TrimSpace(g.Identity.NodeID + " " + g.Identity.IPv4)},
		{"registry", g.Identity.Phase},
		{"receipt", string(g.Identity.Completed)},
		{"pod", g.podFact()},
	}
	for _, r := range g.Routes {
		facts = append(facts, fact{"route " + r.Prefix, fmt.Sprintf("wanted: %s, advertised: %s, approved: %s", r.Wanted, r.Advertised, r.Approved)})
	}
	facts = append(facts, fact{"zone", fmt.Sprintf("serial %d, %d names, %s", g.DNS.Serial, g.DNS.Names, g.DNS.Reason)},
		fact{"load balancer", g.DNS.Addresses.Assigned})
	for _, r := range g.Resources {
		facts = append(facts, fact{r.Kind + "/" + r.Name, strings.TrimSpace(r.State + " " + r.Path)})
	}
	for _, c := range g.Conditions {
		facts = append(facts, fact{c.Type, c.Status + " " + c.Reason + ": " + c.Message})
	}
	for _, f := range g.Findings {
		facts = append(facts, fact{"!", f})
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.is == "" })
}

func (g Gateway) podFact() string {
	if g.Pod == nil {
		return ""
	}
	ready := "not ready"
	if g.Pod.Ready {
		ready = "ready"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s, %d restarts %s", g.Pod.Phase, ready, g.Pod.Restarts, g.Pod.Waiting))
}

// ChangesText is the changes of a gateway, one a line.
func ChangesText(name string, list []Change, l Look) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s  %s  %s: ", l.Paint.Dim(l.Now.Format("15:04:05")), name, l.Paint.Bold(c.What))
		switch {
		case c.Was == "":
			b.WriteString(c.Is)
		case c.Is == "":
			b.WriteString("no longer " + c.Was)
		default:
			b.WriteString(c.Was + " → " + c.Is)
		}
		b.WriteString("\n")
	}
	return b.String()
}
