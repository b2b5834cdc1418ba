package report

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Event is what happened, for kubectl describe. Its texts are those of the
// conditions.
type Event struct{ Type, Reason, Message string }

// changes are what Ready says now and did not say before, and whatever else has
// turned into a fault.
func changes(before, after *v1alpha1.TailnetGateway) []Event {
	var events []Event
	for _, t := range api.ConditionTypes {
		is := meta.FindStatusCondition(after.Status.Conditions, t.Type)
		was := meta.FindStatusCondition(before.Status.Conditions, t.Type)
		if is == nil || was != nil && was.Status == is.Status && was.Reason == is.Reason && was.Message == is.Message {
			continue
		}
		row, ok := api.FindCondition(api.KindTailnetGateway, t.Type, is.Reason)
		e := Event{Type: corev1.EventTypeNormal, Reason: is.Reason, Message: is.Message}
		if row.Health == api.Degraded {
			e.Type = corev1.EventTypeWarning
		}
		if ok && (t.Type == api.ConditionReady || was != nil && row.Health == api.Degraded) {
			events = append(events, e)
		}
	}
	return events
}
