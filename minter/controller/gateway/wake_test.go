package gateway

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// An object wakes the gateways that it is of, or in the way of, as it was and as it
// is, and no others.
func TestWhom(t *testing.T) {
	w := newWorld(t, 2)
	g := w.gateway("gw-0")
	object := func(name string, labels ...string) client.Object {
		o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "o-uid", ResourceVersion: "1"}}
		for i := 0; i < len(labels); i += 2 {
			o.Labels = map[string]string{labels[i]: labels[i+1]}
		}
		return o
	}
	for _, c := range []struct {
		why           string
		before, after client.Object
		woken         string
	}{
		{"its Pod by name", object("gw-0-0"), object("gw-0-0"), "gw-0"},
		{"its DNS Service", object("gw-1-dns"), object("gw-1-dns"), "gw-1"},
		{"a record", object("gw-1-fresh-next"), object("gw-1-fresh-next"), "gw-1"},
		{"by its UID", object("x"), object("x", api.LabelGatewayUID, string(g.UID)), "gw-0"},
		{"by its name", object("x", api.LabelGateway, "gw-0"), object("x"), "gw-0"},
		{"of two", object("x", api.LabelGateway, "gw-0"), object("x", api.LabelGateway, "gw-1"), "gw-0 gw-1"},
		{"nobody's", object("x", api.LabelGateway, "gw-7"), object("gw-0-other"), ""},
	} {
		if woken := w.update(c.before, c.after); woken.names() != c.woken {
			t.Errorf("%s wakes %q, want %q", c.why, woken.names(), c.woken)
		}
	}
}

// The registry wakes those whose entry has changed.
func TestRegistryWakes(t *testing.T) {
	w := newWorld(t, 2)
	c := &corev1.ConfigMap{}
	if err := w.client.Get(w.Context(), client.ObjectKey{Namespace: namespace, Name: api.BindingsName}, c); err != nil {
		t.Fatal(err)
	}
	if woken := w.update(c, c); woken.names() != "gw-0 gw-1" {
		t.Errorf("seen for the first time it wakes %q", woken.names())
	}
	delete(c.Data, api.BindingKey("gw-1", api.BindingPhase))
	if err := w.client.Update(w.Context(), c); err != nil {
		t.Fatal(err)
	}
	if woken := w.update(c, c); woken.names() != "gw-1" {
		t.Errorf("a phase wakes %q", woken.names())
	}
}

// The status of a Tailnet wakes those who wait, its spec everybody.
func TestTailnetWakes(t *testing.T) {
	w := newWorld(t, 3)
	w.mapper.agenda.begin("gw-1") // as if its pass had failed
	tailnet := &v1alpha1.Tailnet{}
	if err := w.client.Get(w.Context(), client.ObjectKey{Name: "home"}, tailnet); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why    string
		change func(*v1alpha1.Tailnet)
		woken  string
	}{
		{"nothing", func(*v1alpha1.Tailnet) {}, ""},
		{"its status", func(n *v1alpha1.Tailnet) { n.ResourceVersion = "x" }, "gw-1"},
		{"its spec", func(n *v1alpha1.Tailnet) { n.ResourceVersion, n.Generation = "x", n.Generation+1 }, "gw-0 gw-1 gw-2"},
		{"its labels", func(n *v1alpha1.Tailnet) { n.ResourceVersion, n.Labels = "x", map[string]string{"a": "b"} }, "gw-0 gw-1 gw-2"},
		{"its deletion", func(n *v1alpha1.Tailnet) {
			n.ResourceVersion, n.DeletionTimestamp = "x", new(metav1.Time)
			*n.DeletionTimestamp = metav1.Now()
		}, "gw-0 gw-1 gw-2"},
		{"another one", func(n *v1alpha1.Tailnet) { n.ResourceVersion, n.UID = "x", "other" }, "gw-0 gw-1 gw-2"},
	} {
		next, q := tailnet.DeepCopy(), newRecorder()
		c.change(next)
		for name := range map[string]int{"gw-0": 0, "gw-2": 0} {
			w.mapper.agenda.end(name, w.mapper.agenda.begin(name), time.Now().Add(resync), true)
		}
		w.mapper.handler(w.mapper.ofTailnet, otherSpec).Update(w.Context(), event.UpdateEvent{ObjectOld: tailnet, ObjectNew: next}, q)
		if q.woken.names() != c.woken {
			t.Errorf("%s wakes %q, want %q", c.why, q.woken.names(), c.woken)
		}
	}
}

// A gateway that goes, or asks for something else, wakes those it may have been in the
// way of, and one that comes nobody.
//
// REQ: LC-19
func TestPeersWake(t *testing.T) {
	w := newWorld(t, 5)
	for name, c := range map[string]metav1.Condition{
		"gw-1": {Type: api.ConditionBound, Status: metav1.ConditionTrue, Reason: api.ReasonBindingOpen},
		"gw-2": {Type: api.ConditionReady, Status: metav1.ConditionFalse, Reason: api.ReasonSpecRefused},
	} {
		g := w.gateway(name)
		apimeta.SetStatusCondition(&g.Status.Conditions, c)
		if err := w.client.Status().Update(w.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"gw-1", "gw-4"} { // the latter is complete
		w.mapper.agenda.begin(name) // it is being looked at
	}
	before := w.gateway("gw-0")
	said, asks := before.DeepCopy(), before.DeepCopy()
	said.ResourceVersion, asks.Generation = "x", before.Generation+1
	peers := w.mapper.peers()
	for _, c := range []struct {
		why   string
		event func(queue)
		woken string
	}{
		{"one that comes", func(q queue) { peers.Create(w.Context(), event.CreateEvent{Object: before}, q) }, ""},
		{"a status", func(q queue) { peers.Update(w.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: said}, q) }, ""},
		{"a spec", func(q queue) { peers.Update(w.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: asks}, q) }, "gw-1 gw-2"},
		{"one that goes", func(q queue) { peers.Delete(w.Context(), event.DeleteEvent{Object: before}, q) }, "gw-1 gw-2"},
	} {
		q := newRecorder()
		c.event(q)
		if q.woken.names() != c.woken {
			t.Errorf("%s wakes %q, want %q", c.why, q.woken.names(), c.woken)
		}
	}
}

// An event of an own write is told from others' whenever it comes: before the answer
// to the write, or after.
func TestEchoes(t *testing.T) {
	e := newEchoes()
	to := func(from, to string) change { return change{from, to} }
	if e.own("o", to("0", "1")) {
		t.Error("nothing was written")
	}
	e.begin("o")
	if !e.own("o", to("1", "2")) {
		t.Error("an event is not kept back")
	}
	if e.end("o", to("1", "2")) {
		t.Error("the own event is another's")
	}
	if !e.own("o", to("1", "2")) || e.own("o", to("2", "3")) || e.own("p", to("1", "2")) {
		t.Error("what the write left is not known")
	}
	if e.own("o", to("0", "2")) {
		t.Error("what came before the write is lost")
	}
	e.begin("o")
	if !e.own("o", to("1", "2")) || !e.own("o", to("2", "3")) || !e.own("o", to("3", "4")) {
		t.Error("an event is not kept back")
	}
	if !e.end("o", to("3", "4")) {
		t.Error("another's event is lost")
	}
	e.begin("o")
	if !e.own("o", to("2", "5")) || !e.end("o", to("4", "5")) {
		t.Error("what came before the write is lost while the answer was awaited")
	}
	e.begin("o")
	if !e.own("o", to("5", "6")) || !e.end("o", change{}) {
		t.Error("another's event is lost where the write failed")
	}
	e.begin("o")
	e.forget("o")
	if !e.end("o", to("6", "7")) || e.own("o", to("6", "7")) {
		t.Error("a deleted object is known")
	}
}

// What happens during the reconciler's own write wakes the gateway, and its own write
// does not.
func TestOthersWrites(t *testing.T) {
	w := newWorld(t, 1)
	before, g := w.live("gw-0"), w.gateway("gw-0")
	w.change(text(nas + "10.0.0.2 tv.gw-0.example\n"))
	w.meet = func(call string) {
		if !strings.HasPrefix(call, "update") || strings.HasSuffix(call, "/gw-0") {
			return
		}
		w.meet = nil
		if woken := w.update(before, metadata(before, "77")); woken.names() != "" {
			t.Errorf("%s is woken before the answer", woken.names())
		}
	}
	if wait := w.wait("gw-0"); wait != atOnce {
		t.Errorf("another one wrote meanwhile, and it is looked at again in %s", wait)
	}
	w.made()
	if wait := w.wait("gw-0"); wait <= soon || len(w.made()) < 20 {
		t.Errorf("it was not read whole; again in %s", wait)
	}
	if woken := w.updateGateway(g, w.gateway("gw-0")); woken.names() != "" {
		t.Errorf("its own status wakes %s", woken.names())
	}
	other := w.gateway("gw-0")
	other.Labels = map[string]string{"a": "b"}
	if err := w.client.Update(w.Context(), other); err != nil {
		t.Fatal(err)
	}
	if woken := w.updateGateway(g, other); woken.names() != "gw-0" {
		t.Errorf("another's write wakes %q", woken.names())
	}
}

// What is owed during a pass is not forgotten by its end, and the next whole pass is
// due when it was.
func TestAgenda(t *testing.T) {
	a, now := newAgenda(), time.Unix(1000, 0)
	if a.follow("gw", now) {
		t.Error("one that is not known is not to be read whole")
	}
	owed := a.begin("gw")
	if a.end("gw", owed, now.Add(time.Hour), true) {
		t.Error("something is owed")
	}
	if !a.follow("gw", now) || len(a.waiting([]string{"gw"})) != 0 || !a.next("gw").Equal(now.Add(time.Hour)) {
		t.Error("it is not settled")
	}
	if a.follow("gw", now.Add(time.Hour)) {
		t.Error("its time has come, and it is not to be read whole")
	}
	a.owe("gw")
	if a.follow("gw", now) {
		t.Error("what is owed is lost")
	}
	owed = a.begin("gw")
	a.owe("gw")
	if !a.end("gw", owed, now.Add(time.Hour), true) || a.follow("gw", now) || len(a.waiting([]string{"gw", "new"})) != 2 {
		t.Error("what came during a pass is lost")
	}
}

// Who was woken for its zone does not keep the priority of that.
func TestPriority(t *testing.T) {
	w := newWorld(t, 1)
	for why, c := range map[string]struct {
		wake func()
		want int
	}{
		"its zone": {func() { w.change(text(nas + "10.0.0.2 tv.gw-0.example\n")) }, handler.LowPriority},
		"nothing":  {func() {}, handler.LowPriority},
		"a Pod":    {func() { w.mapper.agenda.owe("gw-0") }, handler.LowPriority},
		"in a pass": {func() {
			w.mapper.agenda.owe("gw-0")
			w.meet = func(string) { w.meet = nil; w.mapper.agenda.owe("gw-0") }
		}, 0},
	} {
		c.wake()
		result, err := w.Reconciler.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "gw-0"}})
		if err != nil || result.Priority == nil || *result.Priority != c.want || result.RequeueAfter <= 0 {
			t.Errorf("woken for %s it is looked at again as %+v: %v", why, result, err)
		}
		w.look("gw-0")
	}
}
