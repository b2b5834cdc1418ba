package health_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// judged returns the verdict on an object of the kind, seen by the minter, with the
// conditions.
func judged(kind string, conditions ...metav1.Condition) health.Verdict {
	meta := metav1.ObjectMeta{Name: "lab-gw", Generation: 2}
	if kind == api.KindTailnet {
		return health.Tailnet(&v1alpha1.Tailnet{ObjectMeta: meta, Status: v1alpha1.TailnetStatus{ObservedGeneration: 2, Conditions: conditions}})
	}
	active := false
	return health.Gateway(&v1alpha1.TailnetGateway{
		ObjectMeta: meta, Spec: v1alpha1.TailnetGatewaySpec{Suspend: &active},
		Status: v1alpha1.TailnetGatewayStatus{ObservedGeneration: 2, Conditions: conditions},
	})
}

// said is the condition of a row, with a message of its own.
func said(row api.Condition) metav1.Condition {
	return metav1.Condition{Type: row.Type, Status: metav1.ConditionStatus(row.Status), Reason: row.Reason, Message: row.Type + " says " + row.Reason + "."}
}

// find is the condition of the row with a reason, whatever the type's kind is.
func find(t *testing.T, kind, conditionType, reason string) metav1.Condition {
	t.Helper()
	row, ok := api.FindCondition(kind, conditionType, reason)
	if !ok {
		t.Fatalf("no row %s %s/%s", kind, conditionType, reason)
	}
	return said(row)
}

var kinds = []string{api.KindTailnetGateway, api.KindTailnet}

// Every row of the table, beside every row of Ready: Ready alone decides while it
// waits or has given up; otherwise the worse of the two does.
//
// REQ: ST-05, ST-08
func TestEveryRow(t *testing.T) {
	rank := map[api.Health]int{api.NoHealth: 0, api.Healthy: 1, api.Suspended: 2, api.Progressing: 3, api.Degraded: 4}
	rows := 0
	for _, ready := range api.Conditions {
		if ready.Type != api.ConditionReady {
			continue
		}
		for _, row := range api.Conditions {
			if row.Kind != ready.Kind || row.Type == api.ConditionReady || row.Type == api.ConditionReconciling || row.Type == api.ConditionStalled {
				continue
			}
			rows++
			want := ready
			if rank[ready.Health] < rank[api.Progressing] && rank[row.Health] > rank[ready.Health] {
				want = row
			}
			for _, conditions := range [][]metav1.Condition{{said(ready), said(row)}, {said(row), said(ready)}} {
				v := judged(row.Kind, conditions...)
				if v.Status != want.Health || v.Condition != want.Type || v.Reason != want.Reason {
					t.Errorf("%v and %v: %+v, want %s by %s", ready.Key(), row.Key(), v, want.Health, want.Reason)
				}
				text := said(want).Message
				if want.Key() == ready.Key() && ready.Health != api.Progressing && ready.Health != api.Degraded && row.Status == api.False {
					text += " " + said(row).Message
				}
				if v.Message != text {
					t.Errorf("%v and %v: message %q, want %q", ready.Key(), row.Key(), v.Message, text)
				}
			}
		}
	}
	if rows < 800 {
		t.Errorf("%d pairs, want at least 800", rows)
	}
}

// Every row of Ready alone, with the condition that accompanies it.
//
// REQ: ST-05, ST-01
func TestEveryReady(t *testing.T) {
	for _, row := range api.Conditions {
		if row.Type != api.ConditionReady {
			continue
		}
		conditions := []metav1.Condition{said(row)}
		if row.Effect != api.NoEffect {
			conditions = append(conditions, metav1.Condition{Type: string(row.Effect), Status: metav1.ConditionTrue, Message: "It is so."})
		}
		if v := judged(row.Kind, conditions...); v.Status != row.Health || v.Reason != row.Reason || v.Message != said(row).Message || v.Next != row.Next {
			t.Errorf("%v: %+v, want %s", row.Key(), v, row.Health)
		}
	}
}

// Whatever the minter says of a generation, it says nothing of the next one, and of
// what is on its way out nothing is finished.
//
// REQ: ST-05
func TestNotHealthyBeforeItIsSeen(t *testing.T) {
	for _, kind := range kinds {
		for _, row := range api.Conditions {
			if row.Kind != kind || row.Type != api.ConditionReady {
				continue
			}
			for _, seen := range []int64{-1, 0, 1, 3} {
				if v := generation(kind, 2, seen, false, said(row)); v.Status != api.Progressing || v.Condition != "" || v.Message == "" {
					t.Errorf("%v, generation %d of 2: %+v", row.Key(), seen, v)
				}
			}
			want := row.Health
			if want == api.Healthy || want == api.Suspended {
				want = api.Progressing
			}
			if v := generation(kind, 2, 2, true, said(row)); v.Status != want {
				t.Errorf("%v, deleted: %+v, want %s", row.Key(), v, want)
			}
		}
	}
}

func generation(kind string, is, seen int64, deleted bool, c metav1.Condition) health.Verdict {
	meta := metav1.ObjectMeta{Generation: is}
	if deleted {
		meta.DeletionTimestamp = &metav1.Time{}
	}
	if kind == api.KindTailnet {
		return health.Tailnet(&v1alpha1.Tailnet{ObjectMeta: meta, Status: v1alpha1.TailnetStatus{ObservedGeneration: seen, Conditions: []metav1.Condition{c}}})
	}
	return health.Gateway(&v1alpha1.TailnetGateway{ObjectMeta: meta, Status: v1alpha1.TailnetGatewayStatus{ObservedGeneration: seen, Conditions: []metav1.Condition{c}}})
}

// What this version does not know is never healthy: a reason, a status that the
// reason never has, and no condition Ready at all.
//
// REQ: ST-05
func TestUnknown(t *testing.T) {
	ready := find(t, api.KindTailnetGateway, api.ConditionReady, api.ReasonFreshRuntimeReady)
	condition := func(conditionType, status, reason string) metav1.Condition {
		return metav1.Condition{Type: conditionType, Status: metav1.ConditionStatus(status), Reason: reason}
	}
	stalled, waits := condition("Stalled", "True", "New"), condition("Reconciling", "True", "New")
	for _, c := range []struct {
		why        string
		conditions []metav1.Condition
		want       api.Health
		message    string
	}{
		{"no condition", nil, api.Progressing, "The minter has not said anything about it yet."},
		{"another one alone", []metav1.Condition{condition("DNSReady", "True", "DNSInSync")}, api.Progressing, "The minter has not said anything about it yet."},
		{"a new success", []metav1.Condition{condition("Ready", "True", "New")}, api.Progressing, "New"},
		{"a new failure", []metav1.Condition{condition("Ready", "False", "New")}, api.Progressing, "New"},
		{"one without a reason", []metav1.Condition{condition("Ready", "False", "")}, api.Progressing, "It is in a state that is not known here."},
		{"a new failure that waits", []metav1.Condition{condition("Ready", "False", "New"), waits}, api.Progressing, "New"},
		{"a new failure that stalls", []metav1.Condition{stalled, condition("Ready", "False", "New")}, api.Degraded, "New"},
		{"a failure that is true", []metav1.Condition{condition("Ready", "True", "Provisioning")}, api.Progressing, "Provisioning"},
		{"a success that is false", []metav1.Condition{condition("Ready", "False", "FreshRuntimeReady")}, api.Progressing, "FreshRuntimeReady"},
		{"a success that stalls", []metav1.Condition{ready, stalled}, api.Degraded, "New"},
		{"a success that waits", []metav1.Condition{ready, waits}, api.Progressing, "New"},
		{"a success that neither stalls nor waits", []metav1.Condition{ready, condition("Stalled", "False", "New"), condition("Reconciling", "False", "New")}, api.Healthy, ready.Message},
		{"a new reason beside a success", []metav1.Condition{ready, condition("DNSReady", "False", "New")}, api.Progressing, "New"},
		{"a new success beside it", []metav1.Condition{ready, condition("DNSReady", "True", "New")}, api.Healthy, ready.Message},
		{"what nobody knows beside it", []metav1.Condition{ready, condition("DNSReady", "Unknown", "New")}, api.Progressing, "New"},
		{"somebody else's condition", []metav1.Condition{ready, condition("Theirs", "False", "DNSUpdateBlocked")}, api.Healthy, ready.Message},
	} {
		if v := judged(api.KindTailnetGateway, c.conditions...); v.Status != c.want || v.Message != c.message {
			t.Errorf("%s: %+v, want %s: %s", c.why, v, c.want, c.message)
		}
	}
}

// All that weighs the same is told, in reading order.
func TestMessages(t *testing.T) {
	gateway := func(conditionType, reason string) metav1.Condition {
		return find(t, api.KindTailnetGateway, conditionType, reason)
	}
	v := judged(api.KindTailnetGateway,
		gateway("InSync", "Drifted"), gateway("ServiceReady", "LBPending"), gateway("DNSReady", "DNSUpdateBlocked"), gateway("Ready", "FreshRuntimeReady"))
	if want := "DNSReady says DNSUpdateBlocked. InSync says Drifted."; v.Message != want || v.Reason != "DNSUpdateBlocked" {
		t.Errorf("%+v, want %q", v, want)
	}
	v = judged(api.KindTailnetGateway, gateway("WorkloadCurrent", "PodTemplateStale"), gateway("Ready", "FreshRuntimeReady"))
	if want := "Ready says FreshRuntimeReady. WorkloadCurrent says PodTemplateStale."; v.Message != want || v.Status != api.Healthy || v.Next == "" {
		t.Errorf("%+v, want %q", v, want)
	}
	v = judged(api.KindTailnetGateway, gateway("ServiceReady", "LBPending"), gateway("InSync", "EngineBehind"), gateway("Ready", "FreshRuntimeReady"))
	if v.Message != "InSync says EngineBehind." || v.Status != api.Progressing {
		t.Errorf("%+v, want what it waits for and no more", v)
	}
}

// A gateway that is up is Healthy although no load balancer ever gives its Service an
// address, and the verdict says so and what to look at.
//
// REQ: ST-08, UP-04
func TestNoAddressHoldsNobody(t *testing.T) {
	v := judged(api.KindTailnetGateway, find(t, api.KindTailnetGateway, "ServiceReady", "LBPending"), find(t, api.KindTailnetGateway, "Ready", "FreshRuntimeReady"))
	if want := "Ready says FreshRuntimeReady. ServiceReady says LBPending."; v.Message != want || v.Status != api.Healthy || v.Next == "" {
		t.Errorf("%+v, want %q", v, want)
	}
	row, _ := api.FindCondition(api.KindTailnetGateway, api.ConditionServiceReady, api.ReasonLBPending)
	if row.Status != api.False || row.Effect != api.NoEffect {
		t.Errorf("%+v: Flux waits for it, or it says that there is an address", row)
	}
}

// A gateway that says nothing is suspended unless its spec says otherwise; what does
// not exist is missing.
//
// REQ: LC-04
func TestNothingSaid(t *testing.T) {
	if v := health.Gateway(&v1alpha1.TailnetGateway{}); v.Status != api.Suspended || v.Message == "" {
		t.Errorf("no spec: %+v", v)
	}
	if v := health.Tailnet(&v1alpha1.Tailnet{}); v.Status != api.Progressing {
		t.Errorf("no spec of a Tailnet: %+v", v)
	}
	for _, v := range []health.Verdict{health.Gateway(nil), health.Tailnet(nil)} {
		if v.Status != health.Missing || v.Message == "" {
			t.Errorf("nothing: %+v", v)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, row := range api.Conditions {
		found := false
		for _, r := range health.Explain(row.Reason) {
			found = found || r == row
			if r.Reason != row.Reason {
				t.Errorf("%s is explained by %v", row.Reason, r.Key())
			}
		}
		if !found {
			t.Errorf("%v is not explained", row.Key())
		}
	}
	if rows := health.Explain("New"); len(rows) > 0 {
		t.Errorf("New: %v", rows)
	}
}
