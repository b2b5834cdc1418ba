package health

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Missing is the health of what does not exist. No condition has it.
const Missing api.Health = "Missing"

// Verdict is how an object is.
type Verdict struct {
	// Status is Healthy, Suspended, Progressing, Degraded or Missing.
	Status api.Health

	// Condition and Reason are those of the condition that decided; both are empty
	// where none did. The reason may be one that Explain does not know.
	Condition, Reason string

	// Message is the text of that condition, and of others that weigh the same, or
	// that a healthy gateway has to say. It is never empty.
	Message string

	// Next is what the user can do; it is empty if nothing needs doing.
	Next string
}

// Gateway returns the verdict on a gateway; nil is one that does not exist.
func Gateway(g *v1alpha1.TailnetGateway) Verdict {
	if g == nil {
		return missing
	}
	return judge(object{
		kind: api.KindTailnetGateway, meta: g.ObjectMeta,
		suspended: g.Spec.Suspend == nil || *g.Spec.Suspend,
		observed:  g.Status.ObservedGeneration, conditions: g.Status.Conditions,
	})
}

// Tailnet returns the verdict on a Tailnet; nil is one that does not exist.
func Tailnet(t *v1alpha1.Tailnet) Verdict {
	if t == nil {
		return missing
	}
	return judge(object{
		kind: api.KindTailnet, meta: t.ObjectMeta,
		observed: t.Status.ObservedGeneration, conditions: t.Status.Conditions,
	})
}

// Explain returns the rows of the table that have the reason, in its order; none
// if the reason is not ours.
func Explain(reason string) []api.Condition {
	return slices.DeleteFunc(slices.Clone(api.Conditions), func(c api.Condition) bool { return c.Reason != reason })
}

// object is what a verdict is about.
type object struct {
	kind       string
	meta       metav1.ObjectMeta
	suspended  bool
	observed   int64
	conditions []metav1.Condition
}

// find returns the condition of a type, or nil.
func (o object) find(conditionType string) *metav1.Condition {
	i := slices.IndexFunc(o.conditions, func(c metav1.Condition) bool { return c.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &o.conditions[i]
}

// holds returns the condition of a type if it is true, or nil.
func (o object) holds(conditionType string) *metav1.Condition {
	if c := o.find(conditionType); c != nil && c.Status == metav1.ConditionTrue {
		return c
	}
	return nil
}
