package tailnet

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Event is what happened, for kubectl describe.
type Event struct{ Type, Reason, Message string }

// Status returns the Tailnet with the status that the report makes of it, or nil
// where it has that already (ST-02). Conditions that are not the minter's stay as
// they are; those that are say nothing but the report, whoever wrote them (ST-07).
func Status(now time.Time, t *v1alpha1.Tailnet, r Report) (*v1alpha1.Tailnet, []Event) {
	next := t.DeepCopy()
	status := &next.Status
	status.ObservedGeneration = t.Generation
	status.APIKey = r.Key
	ready := row(api.ConditionReady, r.Ready)
	key := row(api.ConditionAPIKey, r.APIKey)
	set := func(c api.Condition, values map[string]string) {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: c.Type, Status: metav1.ConditionStatus(c.Status), Reason: c.Reason, Message: c.Message(values),
			ObservedGeneration: t.Generation, LastTransitionTime: metav1.NewTime(now.UTC().Truncate(time.Second)),
		})
	}
	set(ready, r.Ready.Values)
	set(key, r.APIKey.Values)
	for _, e := range []struct {
		effect api.Effect
		reason string
	}{{api.Reconciles, api.ReasonAwaiting}, {api.Stalls, api.ReasonBlocked}} {
		if ready.Effect == e.effect {
			set(row(string(e.effect), Condition{Reason: e.reason}), map[string]string{"reason": ready.Reason})
		} else {
			meta.RemoveStatusCondition(&status.Conditions, string(e.effect))
		}
	}
	if equality.Semantic.DeepEqual(t.Status, next.Status) {
		return nil, nil
	}
	return next, changes(t, next, ready, key)
}

// row is the row of the table that a condition is. Decide takes reasons from there
// only.
func row(conditionType string, c Condition) api.Condition {
	r, ok := api.FindCondition(api.KindTailnet, conditionType, c.Reason)
	if !ok {
		panic("tailnet: no row " + conditionType + "/" + c.Reason)
	}
	return r
}

// changes are the events of what Ready says now and did not say before, and of a
// rotation that has begun to fail.
func changes(before, after *v1alpha1.Tailnet, rows ...api.Condition) []Event {
	var events []Event
	for _, r := range rows {
		was := meta.FindStatusCondition(before.Status.Conditions, r.Type)
		is := meta.FindStatusCondition(after.Status.Conditions, r.Type)
		if was != nil && was.Status == is.Status && was.Reason == is.Reason && was.Message == is.Message {
			continue
		}
		e := Event{Type: corev1.EventTypeNormal, Reason: is.Reason, Message: is.Message}
		if r.Health == api.Degraded {
			e.Type = corev1.EventTypeWarning
		}
		if r.Type == api.ConditionReady || e.Type == corev1.EventTypeWarning {
			events = append(events, e)
		}
	}
	return events
}
