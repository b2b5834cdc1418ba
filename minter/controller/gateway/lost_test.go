package gateway

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
)

// A zone that could not be read or written is looked at again soon, however ready
// its gateway is: nothing wakes it when the reason is gone.
//
// REQ: DL-01, DL-02, LC-06
func TestZoneAwaited(t *testing.T) {
	for why, call := range map[string]string{
		"its live zone is not read": "get v1.ConfigMap/gw-0-coredns",
		"its swap is lost":          "update v1.ConfigMap/gw-0-coredns",
	} {
		w := newWorld(t, 1)
		w.change(text(nas + "10.0.0.2 tv.gw-0.example\n"))
		w.fails = func(c string) error {
			if c == call {
				return errors.New("no answer")
			}
			return nil
		}
		if wait := w.wait("gw-0"); wait > soon {
			t.Errorf("%s, and it is looked at again in %s: %s", why, wait, w.says("gw-0", api.ConditionDNSReady))
		}
		w.fails = nil
		w.mapper.agenda.owe("gw-0") // as its time has come
		if wait := w.wait("gw-0"); wait <= soon || w.says("gw-0", api.ConditionDNSReady) != inSync {
			t.Errorf("%s, and later its zone is %s; again in %s", why, w.says("gw-0", api.ConditionDNSReady), wait)
		}
	}
}

// What a registry has lost since it could not be read wakes whose entry that was.
//
// REQ: LC-06
func TestRegistryUnread(t *testing.T) {
	w := newWorld(t, 2)
	c := &corev1.ConfigMap{}
	if err := w.client.Get(w.Context(), client.ObjectKey{Namespace: namespace, Name: api.BindingsName}, c); err != nil {
		t.Fatal(err)
	}
	w.update(c, c)
	w.fails = func(call string) error {
		if strings.HasSuffix(call, "/"+api.BindingsName) {
			return errors.New("no answer")
		}
		return nil
	}
	if woken := w.update(c, c); woken.names() != "gw-0 gw-1" {
		t.Errorf("one that cannot be read wakes %q", woken.names())
	}
	w.fails = nil
	c.Data = registry.Without(c.Data, "gw-1")
	if err := w.client.Update(w.Context(), c); err != nil {
		t.Fatal(err)
	}
	if woken := w.update(c, c); !strings.Contains(woken.names(), "gw-1") {
		t.Errorf("an entry that is gone wakes %q", woken.names())
	}
	if woken := w.update(c, c); woken.names() != "" {
		t.Errorf("nothing has changed since, and %q are woken", woken.names())
	}
}

// An own write of which the event tells more than that, for a watch had missed what
// was there before it, is not kept back.
//
// REQ: LC-06
func TestMissedBefore(t *testing.T) {
	w := newWorld(t, 1)
	before := w.live("gw-0")
	other := before.DeepCopy()
	other.Labels["other"] = "one" // nobody hears of it
	if err := w.client.Update(w.Context(), other); err != nil {
		t.Fatal(err)
	}
	w.change(text(nas + "10.0.0.2 tv.gw-0.example\n"))
	w.look("gw-0")
	if woken := w.update(before, w.live("gw-0")); woken.names() != "gw-0" {
		t.Errorf("two writes in one event wake %q", woken.names())
	}
	if woken := w.update(other, w.live("gw-0")); woken.names() != "" {
		t.Errorf("its own write wakes %q", woken.names())
	}
}

// A ConfigMap that a Tailnet names, and that does not say that it is the Tailnet's,
// wakes its gateways as well: what is said about it changes.
//
// REQ: DL-08, LC-06
func TestHostsOfNobody(t *testing.T) {
	w := newWorld(t, 1)
	w.change(func(c *corev1.ConfigMap) { c.Labels = nil })
	w.look("gw-0")
	if says := w.says("gw-0", api.ConditionDNSReady); says != "False/"+api.ReasonHostsRefused {
		t.Fatalf("the zone is %s", says)
	}
	if err := w.client.Delete(w.Context(), w.hosts); err != nil {
		t.Fatal(err)
	}
	q := newRecorder()
	w.mapper.handler(w.mapper.ofObject, always).Delete(w.Context(), event.DeleteEvent{Object: metadata(w.hosts, "")}, q)
	if q.woken.names() != "gw-0" {
		t.Errorf("that it is gone wakes %q", q.woken.names())
	}
	w.look("gw-0")
	if says := w.says("gw-0", api.ConditionDNSReady); says != "False/"+api.ReasonHostsMissing {
		t.Errorf("the zone is %s", says)
	}
}

// Whom a new leader finds is not behind those who are looked at again and again.
func TestFoundAtTheStart(t *testing.T) {
	w, q := newWorld(t, 1), newRecorder()
	w.mapper.handler(w.mapper.ofGateway, always).Create(w.Context(), event.CreateEvent{Object: w.gateway("gw-0"), IsInInitialList: true}, q)
	if priority, woken := q.woken["gw-0"]; !woken || priority != *later(soon).Priority {
		t.Errorf("%v is woken, and who waits has priority %d", q.woken, *later(soon).Priority)
	}
}
