package gateway

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/renderer/api"
)

const (
	ready  = "True/" + api.ReasonFreshRuntimeReady
	inSync = "True/" + api.ReasonDNSInSync
	nas    = "10.0.0.1 nas.gw-0.example\n"
)

// What a change of the hosts source cannot have changed wakes nobody, and who is
// woken goes first.
//
// REQ: DL-01
func TestUnaffected(t *testing.T) {
	w := newWorld(t, 3)
	for i := range 3 {
		if r, d := w.says(name(i), api.ConditionReady), w.says(name(i), api.ConditionDNSReady); r != ready || d != inSync {
			t.Fatalf("%s is %s, its zone %s", name(i), r, d)
		}
	}
	for _, c := range []struct{ why, text, woken string }{
		{"a comment", nas + "# the lab\n", ""},
		{"a name of nobody", nas + "10.0.0.9 far.away.example\n", ""},
		{"a name of one", nas + "10.0.0.2 tv.gw-1.example\n", "gw-1"},
		{"of another one, and one less", nas + "10.0.0.3 tv.gw-2.example\n", "gw-1 gw-2"},
		{"the same again", nas + "10.0.0.3 tv.gw-2.example\n", ""},
		{"a line of two", nas + "10.0.0.3 tv.gw-2.example pc.gw-0.example\n", "gw-0 gw-2"},
		{"a line that refuses all", nas + "10.0.0.3\n", "gw-0 gw-1 gw-2"},
		{"and is gone", nas, "gw-0 gw-1 gw-2"},
		{"a comment once more", "# the lab\n" + nas, ""},
	} {
		woken := w.change(text(c.text))
		if woken.names() != c.woken {
			t.Errorf("%s wakes %q, want %q", c.why, woken.names(), c.woken)
		}
		for name, priority := range woken {
			if priority != first {
				t.Errorf("%s: %s has priority %d", c.why, name, priority)
			}
			w.look(name)
		}
	}
	for i, serial := range []int64{3, 3, 3} {
		if dns := w.gateway(name(i)).Status.DNS; dns == nil || dns.Serial != serial {
			t.Errorf("%s serves %+v, want serial %d", name(i), dns, serial)
		}
	}
}

// Whoever is in doubt is woken by a change that does not concern it.
//
// REQ: DL-01, LC-06
func TestInDoubt(t *testing.T) {
	other := text(nas + "10.0.0.9 far.away.example\n")
	for why, doubt := range map[string]func(w *world) woken{
		"its hosts are refused": func(w *world) woken {
			w.change(text(nas + "10.0.0.1 gw-0.example\n"))
			w.look("gw-0")
			return w.change(text(nas + "10.0.0.1 gw-0.example\n# the lab\n"))
		},
		"its zone is blocked": func(w *world) woken {
			live := w.live("gw-0")
			delete(live.Annotations, api.AnnotationDNSSerial)
			if err := w.client.Update(w.Context(), live); err != nil {
				w.Fatal(err)
			}
			w.mapper.agenda.owe("gw-0")
			w.look("gw-0")
			return w.change(other)
		},
		"nothing is known of it": func(w *world) woken {
			w.mapper.agenda.forget("gw-0")
			return w.change(other)
		},
		"it is being looked at": func(w *world) woken {
			w.mapper.agenda.begin("gw-0")
			return w.change(other)
		},
		"it was looked at in between": func(w *world) woken {
			before := w.hosts.DeepCopy()
			w.edit(text(nas + "10.0.0.2 tv.gw-0.example\n"))
			w.mapper.agenda.owe("gw-0")
			w.look("gw-0")
			w.edit(text(nas))
			return w.update(before, w.hosts)
		},
	} {
		w := newWorld(t, 2)
		if woken := doubt(w); woken.names() != "gw-0" {
			t.Errorf("%s: %q are woken", why, woken.names())
		}
	}
	for why, doubt := range map[string]func(w *world) woken{
		"another owner": func(w *world) woken {
			return w.change(func(c *corev1.ConfigMap) { c.Labels = map[string]string{api.LabelTailnet: "work"} })
		},
		"another key": func(w *world) woken {
			return w.change(func(c *corev1.ConfigMap) { c.Data = map[string]string{"other": nas} })
		},
		"one key more": func(w *world) woken {
			return w.change(func(c *corev1.ConfigMap) { c.Data["other"] = "" })
		},
		"it is gone": func(w *world) woken {
			if err := w.client.Delete(w.Context(), w.hosts); err != nil {
				w.Fatal(err)
			}
			return w.update(w.hosts, w.hosts)
		},
		"it cannot be read": func(w *world) woken {
			w.mapper.seen("home/"+w.hosts.Name, nil)
			return w.change(other)
		},
	} {
		w := newWorld(t, 2)
		if woken := doubt(w); woken.names() != "gw-0 gw-1" {
			t.Errorf("%s: %q are woken", why, woken.names())
		}
	}
}

// A zone follows its hosts by eight requests, none of which is one to Headscale, and
// of which none wakes the gateway again.
//
// REQ: DL-01, DL-05, LC-06
func TestZoneAlone(t *testing.T) {
	w := newWorld(t, 2)
	before, asked := w.gateway("gw-0"), len(w.headscale.Requests())
	old := w.live("gw-0")
	w.made()
	if woken, calls := w.change(text(nas+"10.0.0.2 tv.gw-0.example\n")), w.made(); len(woken) != 1 || len(calls) != 1 {
		t.Errorf("to tell that %s is woken takes %v", woken.names(), calls)
	}
	if woken := w.update(w.hosts, w.hosts); len(woken) != 0 {
		t.Errorf("what was seen before wakes %s", woken.names())
	}
	w.made()
	w.look("gw-0")
	want := []string{
		"get v1alpha1.TailnetGateway/gw-0", "get v1alpha1.Tailnet/home", "get v1.ConfigMap/tailnet-dns-hosts", "list v1alpha1.TailnetEgressList",
		"get v1.ConfigMap/gw-0-fresh", "get v1.ConfigMap/gw-0-coredns", "update v1.ConfigMap/gw-0-coredns", "update status v1alpha1.TailnetGateway/gw-0",
	}
	if calls := w.made(); !slices.Equal(calls, want) {
		t.Errorf("it takes\n%s\nwant\n%s", strings.Join(calls, "\n"), strings.Join(want, "\n"))
	}
	if n := len(w.headscale.Requests()); n != asked {
		t.Errorf("Headscale is asked %d times", n-asked)
	}
	now, live := w.gateway("gw-0"), w.live("gw-0")
	if now.Status.DNS.Serial != 2 || now.Status.DNS.Names != 3 || !strings.Contains(live.Data[api.DataZone], "tv.gw-0.example.") {
		t.Errorf("%+v is served: %s", now.Status.DNS, live.Data[api.DataZone])
	}
	for i, c := range now.Status.Conditions {
		if was := before.Status.Conditions[i]; c.Type != api.ConditionDNSReady && c != was {
			t.Errorf("%s was %s and is %s", c.Type, was.Reason, c.Reason)
		}
	}
	if woken := w.update(old, live); woken.names() != "" {
		t.Errorf("its own swap wakes %s", woken.names())
	}
	if woken := w.updateGateway(before, now); woken.names() != "" {
		t.Errorf("its own status wakes %s", woken.names())
	}
}

// Where the zone alone does not settle it, everything is read.
//
// REQ: DL-03, DL-05, LC-03, LC-06
func TestMoreThanTheZone(t *testing.T) {
	for why, c := range map[string]struct {
		prepare func(w *world)
		dns     string
	}{
		"refused hosts": {func(w *world) { w.edit(text("10.0.0.1 gw-0.example\n")) }, "False/" + api.ReasonHostsRefused},
		"no hosts": {func(w *world) {
			if err := w.client.Delete(w.Context(), w.hosts); err != nil {
				w.Fatal(err)
			}
		}, "False/" + api.ReasonHostsMissing},
		"a blocked zone": {func(w *world) {
			live := w.live("gw-0")
			live.Annotations[api.AnnotationDNSSerial] = "7"
			if err := w.client.Update(w.Context(), live); err != nil {
				w.Fatal(err)
			}
		}, "False/" + api.ReasonDNSUpdateBlocked},
		"suspended meanwhile": {func(w *world) {
			g := w.gateway("gw-0")
			g.Spec.Suspend = nil
			if err := w.client.Update(w.Context(), g); err != nil {
				w.Fatal(err)
			}
		}, "Unknown/" + api.ReasonSuspended},
		"another spec": {func(w *world) {
			g := w.gateway("gw-0")
			g.Generation++
			if err := w.client.Update(w.Context(), g); err != nil {
				w.Fatal(err)
			}
		}, inSync},
		"something else is owed": {func(w *world) { w.mapper.agenda.owe("gw-0") }, inSync},
	} {
		w := newWorld(t, 1)
		c.prepare(w)
		w.made()
		w.look("gw-0")
		if !slices.Contains(w.made(), "get v1.ConfigMap/"+api.BindingsName) {
			t.Errorf("%s: the registry is not read", why)
		}
		if says := w.says("gw-0", api.ConditionDNSReady); says != c.dns {
			t.Errorf("%s: the zone is %s, want %s", why, says, c.dns)
		}
	}
}

// Gateways that were looked at one after the other are not all looked at again at the
// same time.
func TestBackstop(t *testing.T) {
	var quarters [4]int
	for i := range 1000 {
		b := backstop(name(i))
		if b < resync*2/3 || b > resync || b != backstop(name(i)) {
			t.Fatalf("%s: %s", name(i), b)
		}
		quarters[(b-resync*2/3)*4/(resync/3+1)]++
	}
	for i, n := range quarters {
		if n < 100 {
			t.Errorf("%d of 1000 in quarter %d", n, i)
		}
	}
}
