package health

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
)

// Messages where no condition has one.
const (
	MessageMissing  = "It does not exist."
	MessageNotSeen  = "The minter has not seen this generation yet."
	MessageNotSaid  = "The minter has not said anything about it yet."
	MessageDeleting = "It is being deleted."
	MessageUnknown  = "It is in a state that is not known here."
)

var missing = Verdict{Status: Missing, Message: MessageMissing}

// severity orders the classes, the best first.
var severity = []api.Health{api.NoHealth, api.Healthy, api.Suspended, api.Progressing, api.Degraded}

func worse(a, b api.Health) bool { return slices.Index(severity, a) > slices.Index(severity, b) }

// judge lets Ready decide, and asks the other conditions only where Ready is content.
func judge(o object) Verdict {
	if o.meta.Generation != o.observed {
		return Verdict{Status: api.Progressing, Message: MessageNotSeen}
	}
	v := o.ready()
	content := worse(api.Progressing, v.Status)
	switch stalled, waits := o.holds(api.ConditionStalled), o.holds(api.ConditionReconciling); {
	case content && stalled != nil:
		return o.say(stalled, api.Degraded)
	case content && waits != nil:
		return o.say(waits, api.Progressing)
	case content && o.meta.DeletionTimestamp != nil:
		return Verdict{Status: api.Progressing, Message: MessageDeleting}
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
	return Verdict{Status: api.Progressing, Message: MessageNotSaid}
}

// others is the worst of Ready and the conditions beside it, with the texts of all
// that are as bad. A healthy gateway adds what is not as it might be.
func (o object) others(v Verdict) Verdict {
	beside := o.beside()
	worst := v.Status
	for _, c := range beside {
		if h := o.weight(c); worse(h, worst) {
			worst = h
		}
	}
	counts := func(c *metav1.Condition) bool { return c.Status == metav1.ConditionFalse }
	if worst != v.Status {
		v, counts = Verdict{}, func(c *metav1.Condition) bool { return o.weight(c) == worst }
	}
	for _, c := range beside {
		if counts(c) {
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
		Message: cmp.Or(c.Message, c.Reason, MessageUnknown), Next: row.Next,
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

// beside are the conditions that count beside Ready, in reading order.
func (o object) beside() []*metav1.Condition {
	var list []*metav1.Condition
	for _, t := range Beside(o.kind) {
		if c := o.find(t); c != nil {
			list = append(list, c)
		}
	}
	return list
}

// Beside returns the types of a kind's conditions that count beside Ready, in reading
// order: all but the two that repeat what Ready says.
func Beside(kind string) []string {
	var types []string
	for _, t := range api.ConditionTypes {
		switch t.Type {
		case api.ConditionReady, api.ConditionReconciling, api.ConditionStalled:
			continue
		}
		if slices.ContainsFunc(api.Conditions, func(c api.Condition) bool { return c.Kind == kind && c.Type == t.Type }) {
			types = append(types, t.Type)
		}
	}
	return types
}
