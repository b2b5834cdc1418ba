package view

import (
	"fmt"
	"slices"

	"tsunaro.io/gateway/renderer/api"
)

func (g Gateway) resourcesText() string {
	if g.NotCompared != "" {
		return "not compared: " + g.NotCompared
	}
	n := 0
	for _, r := range g.Resources {
		if r.State == AsRendered {
			n++
		}
	}
	return fmt.Sprintf("%d of %d as rendered", n, len(g.Resources))
}

// stateTexts are the states of a resource in words.
var stateTexts = map[string]string{
	AsRendered: "as rendered", Behind: "not synced yet", Drifted: "drifted", Replaced: "is not the object that was recorded",
	Deleting: "is being deleted", Missing: "missing", NotCompared: "not compared", Unknown: "could not be read",
	NotBuilt: "not in the build",
}

func (l Look) state(state string) string {
	switch state {
	case AsRendered:
		return l.ok()
	case Behind, Missing, NotBuilt:
		return l.look()
	case NotCompared:
		return l.blank()
	case Unknown:
		return l.query()
	}
	return l.wrong()
}

func (g Gateway) resourceBranches(l Look) []line {
	var rows []string
	for _, r := range g.Resources {
		says := stateTexts[r.State]
		if r.Path != "" {
			says += " at " + r.Path
		}
		if n := len(r.Differences); n > 1 {
			says += fmt.Sprintf(" and %d more", n-1)
		}
		rows = append(rows, l.state(r.State)+" "+r.Kind+"/"+r.Name+"\t"+says)
	}
	return branches(rows)
}

func (g Gateway) conditionBranches(l Look) []line {
	var rows []string
	for _, c := range g.Conditions {
		if c.Type != api.ConditionReady && g.waits() && c.Health == string(api.Degraded) {
			c.Health = string(api.Progressing) // what is not there yet cannot be wrong
		}
		rows = append(rows, l.condition(c)+" "+c.Type+"\t"+c.Status+"\t"+c.Reason+"\t"+l.age(c.Since))
	}
	return branches(rows)
}

// waits reports whether Ready is awaited.
func (g Gateway) waits() bool {
	return slices.ContainsFunc(g.Conditions, func(c Condition) bool { return c.Type == api.ConditionReconciling && c.Status == "True" })
}

// condition is the mark of a condition: what is true and well, what is wrong, what is
// awaited, and what nothing is claimed of.
func (l Look) condition(c Condition) string {
	switch {
	case c.Health == string(api.Degraded) || c.Type == api.ConditionStalled:
		return l.wrong()
	case c.Health == string(api.Progressing) || c.Type == api.ConditionReconciling:
		return l.look()
	case c.Status == "True":
		return l.ok()
	case c.Status == "False":
		return l.look()
	}
	return l.blank()
}
