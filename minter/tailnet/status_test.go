package tailnet

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/runtime/conditions/check"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// flux is a Tailnet as Flux's checker takes it.
type flux struct {
	v1alpha1.Tailnet `json:",inline"`
}

func (f *flux) GetConditions() []metav1.Condition { return f.Status.Conditions }

// kstatusErrors are the checker's complaints. Ready is Unknown only while something
// is awaited, which it has a checker of its own for.
func kstatusErrors(t *testing.T, o *v1alpha1.Tailnet) error {
	t.Helper()
	c := check.NewChecker(nil, &check.Conditions{NegativePolarity: []string{api.ConditionReconciling, api.ConditionStalled}})
	if meta.IsStatusConditionPresentAndEqual(o.Status.Conditions, api.ConditionReady, metav1.ConditionUnknown) {
		c = check.NewInProgressChecker(nil)
	}
	c.DisableFetch, c.Stdout, c.Stderr = true, io.Discard, io.Discard
	fail, warn := c.Check(t.Context(), &flux{*o})
	if fail != nil {
		return fail
	}
	return warn
}

// In every line of the table the status is complete, as Flux wants it, and the same
// when it is made again: later and over itself.
//
// REQ: ST-01, ST-02
func TestStatus(t *testing.T) {
	for _, l := range table {
		w := l.world()
		r := Decide(w).Report
		next, events := Status(w.Now, w.Tailnet, r)
		if next == nil || len(events) == 0 || next.ResourceVersion != w.Tailnet.ResourceVersion {
			t.Fatalf("%s: no first status", l.name)
		}
		if err := kstatusErrors(t, next); err != nil {
			t.Errorf("%s: %v\n%+v", l.name, err, next.Status.Conditions)
		}
		if next.Status.ObservedGeneration != 3 {
			t.Errorf("%s: observed %d", l.name, next.Status.ObservedGeneration)
		}
		if again, events := Status(w.Now.Add(time.Hour), next, r); again != nil || events != nil {
			t.Errorf("%s: written again: %+v", l.name, again.Status)
		}
	}
}

// From any state to any other: nothing of the first is left, and the transition
// times are those of statuses.
func TestStatusFromAnyState(t *testing.T) {
	for _, a := range table {
		for _, b := range table {
			w := a.world()
			before, _ := Status(w.Now, w.Tailnet, Decide(w).Report)
			w = b.world()
			report := Decide(w).Report
			report.Key = nil // of which TestKeyStatus tells
			want, _ := Status(w.Now.Add(time.Hour), w.Tailnet, report)
			got, _ := Status(w.Now.Add(time.Hour), before, report)
			if got == nil {
				got = before
			}
			if err := kstatusErrors(t, got); err != nil {
				t.Errorf("%s, then %s: %v", a.name, b.name, err)
			}
			if x, y := plain(got), plain(want); x != y {
				t.Errorf("%s, then %s:\n%s\n%s", a.name, b.name, x, y)
			}
			for _, c := range got.Status.Conditions {
				was := meta.FindStatusCondition(before.Status.Conditions, c.Type)
				if was != nil && was.Status == c.Status && !was.LastTransitionTime.Equal(&c.LastTransitionTime) {
					t.Errorf("%s, then %s: %s has not turned", a.name, b.name, c.Type)
				}
			}
		}
	}
}

func plain(o *v1alpha1.Tailnet) string {
	var b strings.Builder
	for _, kind := range []string{api.ConditionReady, api.ConditionAPIKey, api.ConditionReconciling, api.ConditionStalled} {
		if c := meta.FindStatusCondition(o.Status.Conditions, kind); c != nil {
			fmt.Fprintln(&b, c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration)
		}
	}
	return b.String()
}

// A success that somebody else wrote is withdrawn; conditions that are not ours
// stay, and so does their order.
//
// REQ: ST-07
func TestForeignConditions(t *testing.T) {
	w := fresh()
	w.Tailnet.Status = v1alpha1.TailnetStatus{
		ObservedGeneration: 3,
		APIKey:             &v1alpha1.APIKeyStatus{ID: "9"},
		Conditions: []metav1.Condition{
			{Type: "Audited", Status: "True", Reason: "ByHand", ObservedGeneration: 3},
			{Type: api.ConditionReady, Status: "True", Reason: "TailnetReady", Message: "forged", ObservedGeneration: 3},
			{Type: api.ConditionStalled, Status: "True", Reason: "ByHand", ObservedGeneration: 3},
		},
	}
	next, events := Status(w.Now, w.Tailnet, Decide(w).Report)
	if c := next.Status.Conditions[0]; c != w.Tailnet.Status.Conditions[0] {
		t.Errorf("%+v", c)
	}
	if c := meta.FindStatusCondition(next.Status.Conditions, api.ConditionReady); c.Status != "False" || c.Message == "forged" {
		t.Errorf("%+v", c)
	}
	if meta.FindStatusCondition(next.Status.Conditions, api.ConditionStalled) != nil || next.Status.APIKey != nil || len(events) != 1 {
		t.Errorf("%+v, %v", next.Status, events)
	}
}

// A new generation is observed although nothing else has changed.
func TestObservedGeneration(t *testing.T) {
	w := current()
	first, _ := Status(w.Now, w.Tailnet, Decide(w).Report)
	first.Generation++
	next, events := Status(w.Now, first, Decide(w).Report)
	if next == nil || next.Status.ObservedGeneration != 4 || len(events) != 0 {
		t.Fatalf("%+v %v", next, events)
	}
	if err := kstatusErrors(t, next); err != nil {
		t.Error(err)
	}
}

// A rotation that fails while the key works is an event of its own.
func TestEvents(t *testing.T) {
	w := current()
	ready, events := Status(w.Now, w.Tailnet, Decide(w).Report)
	if len(events) != 1 || events[0].Type != "Normal" || events[0].Reason != "TailnetReady" {
		t.Errorf("%v", events)
	}
	w = ageing()
	w.Bootstrap, w.Tailnet = observe.Absent[Bootstrap](), ready
	if _, events := Status(w.Now, w.Tailnet, Decide(w).Report); len(events) != 1 || events[0].Type != "Warning" || events[0].Reason != "RotationFailed" {
		t.Errorf("%v", events)
	}
}

// The key that is shown is Headscale's word where there is one, the record's where
// it does not answer, the last one while the Secret cannot be read, and none where
// no key works.
//
// REQ: MT-06
func TestKeyStatus(t *testing.T) {
	last := &v1alpha1.APIKeyStatus{ID: "77", ExpiresAt: metav1.NewTime(start)}
	base := func() World {
		w := current()
		w.Tailnet.Status.APIKey = last
		w.Answer.Keys[1].ID = "50"
		return w
	}
	for name, c := range map[string]struct {
		change func(*World)
		id     string
	}{
		"accepted":  {func(*World) {}, "50"},
		"no answer": {func(w *World) { w.Answer = Answer{Reply: Failing} }, "5"},
		"unread":    {func(w *World) { w.Secret = observe.Unknown[Secret](observe.Unreachable) }, "77"},
		"refused":   {func(w *World) { w.Answer = Answer{Reply: Rejected} }, ""},
		"absent":    {func(w *World) { w.Secret, w.Answer = observe.Absent[Secret](), Answer{} }, ""},
		"foreign":   {secretThat(func(s *Secret) { s.Labels = nil }), ""},
		"no record": {func(w *World) {
			secretThat(func(s *Secret) { s.ID = "" })(w)
			w.Answer = Answer{Reply: Failing}
		}, ""},
	} {
		w := base()
		c.change(&w)
		got := Decide(w).Report.Key
		if (got != nil) != (c.id != "") || got != nil && got.ID != c.id {
			t.Errorf("%s: %+v, want %q", name, got, c.id)
		}
	}
}
