package health

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
)

// Texts for what no condition says. The generated Lua has them too.
const (
	textMissing  = "It does not exist."
	textNotSeen  = "The minter has not seen this generation yet."
	textNotSaid  = "The minter has not said anything about it yet."
	textDeleting = "It is being deleted."
	textUnknown  = "It is in a state that is not known here."
)

var missing = Verdict{Status: Missing, Message: textMissing}

// severity orders the classes, the best first.
var severity = []api.Health{api.NoHealth, api.Healthy, api.Suspended, api.Progressing, api.Degraded}

func worse(a, b api.Health) bool { return slices.Index(severity, a) > slices.Index(severity, b) }

// judge lets Ready decide, and asks the other conditions only where Ready is content.
func judge(o object) Verdict {
	if o.meta.Generation != o.observed {
		return Verdict{Status: api.Progressing, Message: textNotSeen}
	}
	v := o.ready()
	content := worse(api.Progressing, v.Status)
	switch stalled, waits := o.holds(api.ConditionStalled), o.holds(api.ConditionReconciling); {
	case content && stalled != nil:
		return o.say(stalled, api.Degraded)
	case content && waits != nil:
		return o.say(waits, api.Progressing)
	case content && o.meta.DeletionTimestamp != nil:
		return Verdict{Status: api.Progressing, Message: textDeleting}
	case content:
		return o.others(v)
	case stalled != nil:
		v.Status = api.Degraded
	}
	return v
}

// ready is the verdict of the condition Ready alone.
func (o object) ready() Verdict {
	c := o.find(api.ConditionReady)
	switch {
	case c != nil:
		return o.say(c, o.weight(c))
	case o.suspended:
		row, _ := api.FindCondition(o.kind, api.ConditionReady, api.ReasonSuspended)
		return Verdict{Status: row.Health, Message: row.Text, Next: row.Next}
	}
	return Verdict{Status: api.Progressing, Message: textNotSaid}
}

// others is the worst of Ready and the other conditions, with the texts of all that
// are as bad. A healthy gateway adds what is not as it might be.
func (o object) others(v Verdict) Verdict {
	worst := v.Status
	for _, c := range o.conditions {
		if h := o.weight(&c); o.beside(c.Type) && worse(h, worst) {
			worst = h
		}
	}
	counts := func(c *metav1.Condition) bool { return o.weight(c) == worst }
	if worst == v.Status {
		counts = func(c *metav1.Condition) bool { return c.Status == metav1.ConditionFalse }
	} else {
		v = Verdict{}
	}
	for _, t := range api.ConditionTypes { // in reading order, whatever the list's is
		if c := o.find(t.Type); c != nil && o.beside(t.Type) && counts(c) {
			v = v.and(o.say(c, worst))
		}
	}
	return v
}

// and adds what another condition says to a verdict, which keeps its own reason.
func (v Verdict) and(other Verdict) Verdict {
	if v.Message == "" {
		return other
	}
	v.Message += " " + other.Message
	if v.Next == "" {
		v.Next = other.Next
	}
	return v
}

// say is a verdict with what a condition says.
func (o object) say(c *metav1.Condition, h api.Health) Verdict {
	row, _ := o.row(c)
	return Verdict{
		Status: h, Condition: c.Type, Reason: c.Reason,
		Message: cmp.Or(c.Message, c.Reason, textUnknown), Next: row.Next,
	}
}

// weight is the class of a condition. What is not known counts as on its way, unless
// it is true and not about Ready.
func (o object) weight(c *metav1.Condition) api.Health {
	row, known := o.row(c)
	if !known && (c.Type == api.ConditionReady || c.Status != metav1.ConditionTrue) {
		return api.Progressing
	}
	return row.Health
}

// row is the row of the table that a condition is.
func (o object) row(c *metav1.Condition) (api.Condition, bool) {
	row, ok := api.FindCondition(o.kind, c.Type, c.Reason)
	if !ok || string(row.Status) != string(c.Status) {
		return api.Condition{}, false
	}
	return row, true
}

// beside reports whether a condition counts beside Ready: the table has it, and it
// is not one of the two that repeat what Ready says.
func (o object) beside(conditionType string) bool {
	return !slices.Contains([]string{api.ConditionReady, api.ConditionReconciling, api.ConditionStalled}, conditionType) &&
		slices.ContainsFunc(api.Conditions, func(c api.Condition) bool { return c.Kind == o.kind && c.Type == conditionType })
}
