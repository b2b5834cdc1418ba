//go:build lab && linux

package tailnet

import (
	"math"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/controller/tailnets"
	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/tailnet"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

const day = 24 * time.Hour

// What a Tailnet refers to comes one after another, and the status says what is
// missing. ConfigMaps wake the minter, and Secrets, which are not watched, are
// looked for.
//
// REQ: MT-06, ST-01, DL-08, CF-01
func TestFromNothing(t *testing.T) {
	w, _ := withReal(t)
	m := w.run()
	w.apply()
	got := w.await(api.ReasonCABundleMissing, api.ReasonKeyMissing)
	w.wantMessage(got, "ConfigMap/"+w.caName())
	w.supplyCA()
	got = w.await(api.ReasonBootstrapKeyMissing, api.ReasonKeyMissing)
	w.wantMessage(got, "Secret/"+w.bootstrapName())
	if w.hasWorking() || got.Status.APIKey != nil {
		t.Fatal("a working key out of nothing")
	}
	w.supplyBootstrap(w.key(bootstrapLifetime))
	got = w.await(api.ReasonHostsMissing, api.ReasonKeyCurrent)
	w.wantMessage(got, "ConfigMap/"+w.hostsName())
	w.make(&corev1.ConfigMap{ObjectMeta: in(w.hostsName()), Data: map[string]string{"hosts": ""}})
	hosts := get[corev1.ConfigMap](w, w.hostsName()) // without the label it is not this Tailnet's
	m.settled(api.ReasonHostsMissing, api.ReasonKeyCurrent)
	hosts.Labels = map[string]string{api.LabelTailnet: w.name}
	if err := w.Update(t.Context(), hosts); err != nil {
		t.Fatal(err)
	}
	m.wantWorking()
	for name, want := range map[string]time.Duration{
		"tailnet_apikey_expires_seconds": tailnet.Lifetime, "tailnet_bootstrap_key_expires_seconds": bootstrapLifetime,
	} {
		if left, ok := m.gauge(name); !ok || math.Abs(left-want.Seconds()) > deadline.Seconds() {
			t.Errorf("%s is %v %t, want %v", name, left, ok, want.Seconds())
		}
	}
	if ready, ok := m.gauge("tailnet_resource_ready"); !ok || ready != 1 {
		t.Errorf("tailnet_resource_ready is %v %t", ready, ok)
	}
}

// wantWorking waits for the Tailnet to be ready with the key of its Secret, and
// checks that Secret, status and Headscale say the same of it.
func (m *minter) wantWorking() *corev1.Secret {
	m.Helper()
	t := m.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	s := m.working()
	m.until("the status shows the key of the Secret", func() bool {
		t, s = m.await(api.ReasonTailnetReady, api.ReasonKeyCurrent), m.working()
		return t.Status.APIKey != nil && t.Status.APIKey.ID == s.Annotations[api.AnnotationKeyID]
	})
	key, ok := m.listed()[prefix(s.Data[api.WorkingKeySecretKey])]
	if !ok {
		m.Fatal("Headscale does not list the working key")
	}
	if s.Labels[api.LabelTailnet] != m.name || s.Annotations[api.AnnotationKeyID] != string(key.ID) ||
		s.Annotations[api.AnnotationKeyExpires] != expiry.Format(key.Expiration) || len(s.Data) != 1 {
		m.Errorf("%v %v, Headscale has %+v", s.Labels, s.Annotations, key)
	}
	if k := t.Status.APIKey; k == nil || k.ID != string(key.ID) || !k.ExpiresAt.Time.Equal(key.Expiration) {
		m.Errorf("status.apiKey is %+v, Headscale has %+v", k, key)
	}
	if left := key.Expiration.Sub(m.now()); left > tailnet.Lifetime || left < tailnet.Lifetime-2*deadline {
		m.Errorf("%s are left", left)
	}
	list := m.nodes.List(m.Context(), t)
	if !list.Nodes.Known() || !list.APIKey.Known() || !list.Client.Known() {
		m.Errorf("%+v", list)
	}
	return s
}

// settled checks that another pass changes nothing.
func (m *minter) settled(ready, key string) {
	m.Helper()
	before := m.await(ready, key)
	for range 2 {
		m.pass()
	}
	if after := m.tailnet(); after.ResourceVersion != before.ResourceVersion {
		m.Errorf("written again: %+v", after.Status)
	}
}

// A key that Headscale refuses does not become right by waiting: the user replaces
// it, and no mint was tried in vain meanwhile.
//
// REQ: MT-06, ST-01
func TestWrongBootstrapKey(t *testing.T) {
	w, s := withDouble(t)
	w.supplyCA()
	w.supplyHosts()
	w.supplyBootstrap("hskey-api-aaaaaaaaaaaa-" + strings.Repeat("b", 64))
	m := w.run()
	w.apply()
	got := w.await(api.ReasonKeyRejected, api.ReasonKeyMissing)
	w.wantMessage(got, "Secret/"+w.bootstrapName())
	m.settled(api.ReasonKeyRejected, api.ReasonKeyMissing)
	if n := s.Count("POST", "/api/v1/apikey"); n != 1 {
		t.Errorf("%d mints with a key that was refused", n)
	}
	w.replaceBootstrap("not a key at all")
	m.settled(api.ReasonKeyRejected, api.ReasonKeyMissing)
	w.replaceBootstrap(w.key(bootstrapLifetime))
	m.wantWorking()
}

// A working key that is ended at Headscale is replaced. While a gateway follows, the
// polls notice it.
//
// REQ: MT-06, ST-07
func TestKeyEndedAtHeadscale(t *testing.T) {
	w, _ := withReal(t)
	w.supply()
	m := w.run()
	w.apply()
	tn := w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	first := m.wantWorking()
	m.nodes.Follow("gw", w.name, tailnets.Interest{Hostname: "gw"}, m.nodes.List(t.Context(), tn))
	m.later(day) // no mint is a moment ago
	if err := w.headscale(w.others).ExpireAPIKey(t.Context(), prefix(first.Data[api.WorkingKeySecretKey])); err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-m.nodes.Changed():
		if e.Object.GetName() != "gw" {
			t.Errorf("woken: %s", e.Object.GetName())
		}
	case <-time.After(deadline):
		t.Error("no gateway was woken")
	}
	w.until("there is another key", func() bool { return w.working().ResourceVersion != first.ResourceVersion })
	second := m.wantWorking()
	if second.UID != first.UID || string(second.Data[api.WorkingKeySecretKey]) == string(first.Data[api.WorkingKeySecretKey]) {
		t.Error("the Secret was not swapped")
	}
	m.wantUntouched()
}

// wantUntouched checks that nobody else's key was ended.
func (w *world) wantUntouched() {
	w.Helper()
	for p, k := range w.listed() {
		if (p == prefix([]byte(w.others)) || p == prefix(get[corev1.Secret](w, w.bootstrapName()).Data["apikey"])) && !k.Expiration.After(w.there()) {
			w.Errorf("key %s was ended", k.ID)
		}
	}
}

// Near its end the key is replaced while it works, and the old one is ended once
// the new one is stored. Ready never wavers.
//
// REQ: MT-06
func TestRotation(t *testing.T) {
	w, _ := withReal(t)
	w.supply()
	m := w.run()
	w.apply()
	first := m.wantWorking()
	m.later(tailnet.Lifetime*2/3 - time.Hour)
	m.settled(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	if w.working().ResourceVersion != first.ResourceVersion {
		t.Fatal("replaced too early")
	}
	seen := w.watch()
	m.later(2 * time.Hour)
	old := prefix(first.Data[api.WorkingKeySecretKey])
	w.until("the old key is ended", func() bool { return !w.listed()[old].Expiration.After(w.there()) })
	second := m.wantWorking()
	if second.Annotations[api.AnnotationKeysReplaced] != old || second.UID != first.UID {
		t.Errorf("%v", second.Annotations)
	}
	if left, ok := m.gauge("tailnet_apikey_expires_seconds"); !ok || left < (tailnet.Lifetime-time.Hour).Seconds() {
		t.Errorf("%v %t", left, ok)
	}
	for _, s := range seen() {
		if !has(s, api.ConditionReady, api.ReasonTailnetReady) || !has(s, api.ConditionAPIKey, api.ReasonKeyCurrent) {
			t.Errorf("meanwhile: %+v", s.Status.Conditions)
		}
	}
	m.wantUntouched()
	m.settled(api.ReasonTailnetReady, api.ReasonKeyCurrent)
}

// A rotation that fails is told while the key still works.
//
// REQ: MT-06
func TestRotationFails(t *testing.T) {
	w, _ := withReal(t)
	w.supply()
	m := w.run()
	w.apply()
	first := m.wantWorking()
	if err := w.Delete(t.Context(), get[corev1.Secret](w, w.bootstrapName())); err != nil {
		t.Fatal(err)
	}
	m.settled(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	m.later(tailnet.Lifetime * 3 / 4)
	w.await(api.ReasonTailnetReady, api.ReasonRotationFailed)
	if _, ok := m.gauge("tailnet_bootstrap_key_expires_seconds"); ok {
		t.Error("a key that is not there has time left")
	}
	w.supplyBootstrap(w.key(bootstrapLifetime))
	w.nudge()
	w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	if s := w.working(); s.ResourceVersion == first.ResourceVersion {
		t.Error("not replaced")
	}
}

// Headscale is away, and comes back: the key is the same.
//
// REQ: ST-07, LC-06
func TestUnreachable(t *testing.T) {
	w, s := withReal(t)
	w.supply()
	m := w.run()
	w.apply()
	tn := w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	first := m.wantWorking()
	s.Stop()
	w.nudge()
	got := w.await(api.ReasonHeadscaleUnreachable, api.ReasonEvidenceUnavailable)
	w.wantMessage(got, "there is no answer")
	if got.Status.APIKey == nil || got.Status.APIKey.ID != tn.Status.APIKey.ID {
		t.Errorf("status.apiKey is %+v", got.Status.APIKey)
	}
	before, ok := m.gauge("tailnet_apikey_expires_seconds")
	if list := m.nodes.List(t.Context(), got); !list.Nodes.Unknown() || !list.APIKey.Unknown() {
		t.Errorf("%+v", list)
	}
	m.settled(api.ReasonHeadscaleUnreachable, api.ReasonEvidenceUnavailable)
	if after, still := m.gauge("tailnet_apikey_expires_seconds"); !ok || !still || after != before {
		t.Errorf("the time left does not stand still: %v %t, %v %t", before, ok, after, still)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.nudge()
	w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	if w.working().ResourceVersion != first.ResourceVersion {
		t.Error("the key was replaced")
	}
}

// A Secret in the working key's place is neither used nor changed, and the command
// that the status shows clears the way.
//
// REQ: MT-06
func TestForeignSecret(t *testing.T) {
	w, s := withDouble(t)
	w.supply()
	foreign := &corev1.Secret{ObjectMeta: in(api.WorkingKeySecretName(w.name)), Data: map[string][]byte{api.WorkingKeySecretKey: []byte(w.key(day))}}
	w.make(foreign)
	m := w.run()
	w.apply()
	got := w.await(api.ReasonKeyBlocked, api.ReasonKeyMissing)
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests to Headscale", n)
	}
	if l := m.nodes.List(t.Context(), got); !l.APIKey.Absent() {
		t.Errorf("%+v", l)
	}
	if live := get[corev1.Secret](w, foreign.Name); live.ResourceVersion != foreign.ResourceVersion {
		t.Error("the Secret was changed")
	}
	_, command, _ := strings.Cut(message(got, api.ConditionReady), "`kubectl ")
	command, _, _ = strings.Cut(command, "`")
	kubectl(t, "", strings.Fields(command)...)
	w.nudge()
	m.wantWorking()
}

// A Tailnet of another operator namespace is nobody's here: no status, no Secret,
// no request.
//
// REQ: RN-12
func TestAnotherNamespace(t *testing.T) {
	w, s := withDouble(t)
	w.supply()
	m := w.run()
	w.apply(func(tn *v1alpha1.Tailnet) { tn.Spec.OperatorNamespace = "elsewhere" })
	before := w.tailnet()
	for range 2 {
		if r := m.pass(); r.RequeueAfter != 0 {
			t.Errorf("again after %s", r.RequeueAfter)
		}
	}
	after := w.tailnet()
	if after.ResourceVersion != before.ResourceVersion || after.Status.ObservedGeneration != -1 || w.hasWorking() || len(s.Requests()) != 0 {
		t.Errorf("%+v, %d requests", after, len(s.Requests()))
	}
	if l := m.nodes.List(t.Context(), after); !l.APIKey.Absent() || len(s.Requests()) != 0 {
		t.Errorf("%+v", l)
	}
	if _, ok := m.gauge("tailnet_resource_ready"); ok {
		t.Error("another minter's Tailnet is in the metrics")
	}
	// What was ours and moves away is left as it is.
	after.Spec.OperatorNamespace = namespace
	if err := w.Update(t.Context(), after); err != nil {
		t.Fatal(err)
	}
	w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	moved := w.tailnet()
	moved.Spec.OperatorNamespace = "elsewhere"
	if err := w.Update(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	m.pass()
	if live := w.tailnet(); live.Status.ObservedGeneration == live.Generation {
		t.Errorf("%+v", live.Status)
	}
	if _, ok := m.gauge("tailnet_apikey_expires_seconds"); ok {
		t.Error("another minter's Tailnet is in the metrics")
	}
}

// A success that somebody else wrote is withdrawn at once.
//
// REQ: ST-07
func TestForgedSuccess(t *testing.T) {
	w, _ := withDouble(t)
	w.supplyCA()
	w.run()
	w.apply()
	forged := w.await(api.ReasonBootstrapKeyMissing, api.ReasonKeyMissing)
	forged.Status.APIKey = &v1alpha1.APIKeyStatus{ID: "1", ExpiresAt: metav1.Now()}
	forged.Status.Conditions = []metav1.Condition{
		{Type: api.ConditionReady, Status: "True", Reason: api.ReasonTailnetReady, Message: "forged", LastTransitionTime: metav1.Now(), ObservedGeneration: forged.Generation},
		{Type: "Audited", Status: "True", Reason: "ByHand", LastTransitionTime: metav1.Now(), ObservedGeneration: forged.Generation},
	}
	if err := w.Status().Update(t.Context(), forged); err != nil {
		t.Fatal(err)
	}
	got := w.await(api.ReasonBootstrapKeyMissing, api.ReasonKeyMissing)
	if !has(got, "Audited", "ByHand") || got.Status.APIKey != nil {
		t.Errorf("%+v", got.Status)
	}
}
