package report

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Status returns the gateway with the status that the verdict makes of it, or nil
// where it has that already, or where it is not ours to write (ST-02). Conditions
// that are not in the table stay as they are; those that are say nothing but what
// is true now, whoever wrote them (ST-07). The events are what has changed.
func Status(w observe.World, v verdict.Verdict) (*v1alpha1.TailnetGateway, []Event) {
	g, ok := w.Gateway.Get()
	if !ok || v.LeaveAlone {
		return nil, nil
	}
	next := g.DeepCopy()
	next.Status.ObservedGeneration = g.Generation
	s := &subject{World: w, v: v, g: g}
	said := s.conditions()
	for _, t := range api.ConditionTypes {
		if c, ok := said[t.Type]; ok {
			meta.SetStatusCondition(&next.Status.Conditions, c.condition(t.Type, g.Generation, w.Now))
		} else if ours(t.Type) {
			meta.RemoveStatusCondition(&next.Status.Conditions, t.Type)
		}
	}
	if !verdict.Suspended(g) {
		s.fields(&next.Status)
	}
	if equality.Semantic.DeepEqual(g.Status, next.Status) {
		return nil, nil
	}
	return next, changes(g, next)
}

// ours reports whether a condition of a gateway is in the table at all.
func ours(conditionType string) bool {
	for _, c := range api.Conditions {
		if c.Kind == api.KindTailnetGateway && c.Type == conditionType {
			return true
		}
	}
	return false
}

// statement is what a condition says: a reason of the table, and the values of its
// text.
type statement struct {
	reason string
	values values
}

type values = map[string]string

func say(reason string, v values) *statement { return &statement{reason, v} }

// unavailable is what a condition says that rests on something unknown.
func unavailable(object string) *statement {
	return say(api.ReasonEvidenceUnavailable, values{"object": object})
}

// row is the row of the table that a statement is.
func (s *statement) row(conditionType string) api.Condition {
	r, ok := api.FindCondition(api.KindTailnetGateway, conditionType, s.reason)
	if !ok {
		panic("report: no row " + conditionType + "/" + s.reason)
	}
	return r
}

func (s *statement) condition(conditionType string, generation int64, now time.Time) metav1.Condition {
	r := s.row(conditionType)
	return metav1.Condition{
		Type: r.Type, Status: metav1.ConditionStatus(r.Status), Reason: r.Reason, Message: r.Message(s.values),
		ObservedGeneration: generation,
		LastTransitionTime: metav1.NewTime(now.UTC().Truncate(time.Second)), // kept where the status is the same
	}
}
