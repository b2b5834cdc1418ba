package report

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Event is what happened, for kubectl describe. Its texts are those of the
// conditions.
type Event struct{ Type, Reason, Message string }

// changes are what has happened: that Ready has another reason, or that something
// else is in its way. Where the gateway was complete already, also that another
// condition has turned into a fault or is one no longer, unless Ready says so at
// once. What is awaited changes from object to object, and is in the status alone.
func changes(before, after *v1alpha1.TailnetGateway) []Event {
	var events []Event
	others := complete(before) && complete(after)
	if e, ok := turned(before, after, api.ConditionReady); ok {
		events = append(events, e)
		others = others && e.Type != corev1.EventTypeWarning
	}
	for _, t := range api.ConditionTypes {
		e, ok := turned(before, after, t.Type)
		was := meta.FindStatusCondition(before.Status.Conditions, t.Type)
		if ok && others && t.Type != api.ConditionReady && (e.Type == corev1.EventTypeWarning || was != nil && degraded(was)) {
			events = append(events, e)
		}
	}
	return events
}

// complete reports whether a status is one of a completed gateway (UP-07).
func complete(g *v1alpha1.TailnetGateway) bool {
	return meta.FindStatusCondition(g.Status.Conditions, api.ConditionWorkloadCurrent) != nil
}

// turned is the event that a condition has another reason, or another message while
// it is a fault.
func turned(before, after *v1alpha1.TailnetGateway, conditionType string) (e Event, ok bool) {
	is := meta.FindStatusCondition(after.Status.Conditions, conditionType)
	if is == nil {
		return Event{}, false
	}
	e = Event{Type: corev1.EventTypeNormal, Reason: is.Reason, Message: is.Message}
	if degraded(is) {
		e.Type = corev1.EventTypeWarning
	}
	was := meta.FindStatusCondition(before.Status.Conditions, conditionType)
	return e, was == nil || was.Status != is.Status || was.Reason != is.Reason || degraded(is) && was.Message != is.Message
}

func degraded(c *metav1.Condition) bool {
	row, _ := api.FindCondition(api.KindTailnetGateway, c.Type, c.Reason)
	return row.Health == api.Degraded
}
