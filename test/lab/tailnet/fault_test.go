//go:build lab && linux

package tailnet

import (
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/tailnet"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	double "tsunaro.io/gateway/test/testbed/headscaledouble"
)

const keysPath = "/api/v1/apikey"

// What stands between, and answers in Headscale's place, is told apart, and no key
// is made while it does.
//
// REQ: MT-06, ST-03 (cases B25, B21)
func TestOthersAnswer(t *testing.T) {
	w, s := withDouble(t)
	w.supply()
	m := w.run()
	w.apply()
	first := m.wantWorking()
	elsewhere := double.Start(double.Options{})
	t.Cleanup(elsewhere.Close)
	mints := s.Count(http.MethodPost, keysPath)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		text   string
	}{
		"proxy's 404":       {double.NoRoute, "what answers is not Headscale"},
		"login page":        {double.LoginPage, "what answers is not Headscale"},
		"bad gateway":       {double.BadGateway, "what answers is not Headscale"},
		"redirect":          {double.Redirect(elsewhere.URL + keysPath), "what answers is not Headscale"},
		"proxy's 401":       {double.Status(401, "text/html", "<html>401</html>"), "what answers is not Headscale"},
		"cut":               {double.Cut, "there is no answer"},
		"dropped":           {double.Drop, "there is no answer"},
		"Headscale's error": {double.Status(500, "application/json", `{"code":2,"message":"database is locked","details":[]}`), "it answers with an error"},
	} {
		s.Fail(double.Fault{Path: keysPath, Answer: c.answer})
		m.pass()
		got := w.await(api.ReasonHeadscaleUnreachable, api.ReasonEvidenceUnavailable)
		w.until(name+": "+c.text, func() bool { return strings.Contains(message(w.tailnet(), api.ConditionReady), c.text) })
		if got.Status.APIKey == nil {
			t.Errorf("%s: status.apiKey is gone", name)
		}
		s.Heal()
		m.pass()
		w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	}
	if n := s.Count(http.MethodPost, keysPath); n != mints || len(elsewhere.Requests()) != 0 {
		t.Errorf("%d mints more; %d requests went elsewhere", n-mints, len(elsewhere.Requests()))
	}
	if w.working().ResourceVersion != first.ResourceVersion {
		t.Error("the key was replaced")
	}
}

// Another certificate than those in the bundle is not trusted, and a bundle without
// one is none.
//
// REQ: MT-06
func TestCertificates(t *testing.T) {
	w, s := withDouble(t)
	w.supply()
	ca := get[corev1.ConfigMap](w, w.caName())
	other := double.Start(double.Options{})
	t.Cleanup(other.Close)
	set := func(pem string) {
		t.Helper()
		live := get[corev1.ConfigMap](w, ca.Name)
		live.Data["ca.crt"] = pem
		if err := w.Update(t.Context(), live); err != nil {
			t.Fatal(err)
		}
	}
	set("no certificate")
	m := w.run()
	w.apply(func(tn *v1alpha1.Tailnet) { tn.Spec.APIURL = tn.Spec.ControlURL })
	w.await(api.ReasonCABundleMissing, api.ReasonKeyMissing)
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
	set(ca.Data["ca.crt"])
	w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	client := func() *headscale.Client {
		c, ok := m.clients.For(t.Context(), w.tailnet()).Get()
		if !ok {
			t.Fatal("no client")
		}
		return c
	}
	one, same := client(), client()
	set(ca.Data["ca.crt"] + "\n")
	if next := client(); one != same || next == one {
		t.Error("a client is as old as what it was made of")
	}
	set("no certificate")
	if c := m.clients.For(t.Context(), w.tailnet()); !c.Absent() {
		t.Errorf("%v", c)
	}
	w.await(api.ReasonCABundleMissing, api.ReasonEvidenceUnavailable)
	set(ca.Data["ca.crt"])
	w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
}

// A mint whose answer is lost is not sent again at once: it may have left a key,
// which nobody has and which expires by itself.
//
// REQ: MT-04, MT-06
func TestLostMint(t *testing.T) {
	w, s := withDouble(t)
	w.supply()
	s.Fail(double.Fault{Method: http.MethodPost, Path: keysPath, Times: 1, Effect: true, Answer: double.Drop})
	m := w.run()
	w.apply()
	w.wantMessage(w.await(api.ReasonHeadscaleUnreachable, api.ReasonKeyMissing), "there is no answer")
	m.settled(api.ReasonHeadscaleUnreachable, api.ReasonKeyMissing)
	if n := s.Count(http.MethodPost, keysPath); n != 1 {
		t.Errorf("%d mints", n)
	}
	m.later(time.Minute)
	m.wantWorking()
	if n := s.Count(http.MethodPost, keysPath); n != 2 {
		t.Errorf("%d mints", n)
	}
}

// While the Secret may not be written, one key is made, and stored as soon as it may.
// While nothing may be read, nothing is claimed.
//
// REQ: LC-06, MT-06
func TestRights(t *testing.T) {
	w, s := withDouble(t)
	w.supply()
	role := get[rbacv1.Role](w, api.MinterName)
	rights := func(verbs ...string) {
		t.Helper()
		live := get[rbacv1.Role](w, api.MinterName)
		live.Rules = role.DeepCopy().Rules
		for i, r := range live.Rules {
			if len(verbs) > 0 && r.Resources[0] == "secrets" {
				live.Rules[i].Verbs = verbs
			}
		}
		if err := w.Update(t.Context(), live); err != nil {
			t.Fatal(err)
		}
	}
	defer rights()
	rights("get")
	m := w.run()
	w.apply()
	w.wantMessage(w.await(api.ReasonKeyNotStored, api.ReasonKeyMissing), "Secret/"+api.WorkingKeySecretName(w.name))
	m.settled(api.ReasonKeyNotStored, api.ReasonKeyMissing)
	rights()
	m.later(time.Minute)
	m.wantWorking()
	if n := s.Count(http.MethodPost, keysPath); n != 1 {
		t.Errorf("%d mints", n)
	}
	tn := w.tailnet()
	rights("create")
	w.until("Secrets cannot be read", func() bool { m.pass(); return has(w.tailnet(), api.ConditionReady, api.ReasonEvidenceUnavailable) })
	got := w.await(api.ReasonEvidenceUnavailable, api.ReasonEvidenceUnavailable)
	if got.Status.APIKey == nil || got.Status.APIKey.ID != tn.Status.APIKey.ID {
		t.Errorf("status.apiKey is %+v", got.Status.APIKey)
	}
	rights()
	w.until("Secrets can be read", func() bool { m.pass(); return has(w.tailnet(), api.ConditionReady, api.ReasonTailnetReady) })
}

// Two minters at the same time: one key is left.
//
// REQ: MT-06
func TestTwoMinters(t *testing.T) {
	w, s := withDouble(t)
	w.supply()
	a := w.run()
	w.run()
	w.apply()
	a.wantWorking()
	for range 2 {
		w.later(tailnet.Lifetime * 2 / 3)
		w.until("one key is left", func() bool {
			live := 0
			for p, k := range w.listed() {
				if k.Expiration.After(w.there()) && p != prefix([]byte(w.others)) && p != prefix(get[corev1.Secret](w, w.bootstrapName()).Data["apikey"]) {
					live++
				}
			}
			return live == 1
		})
		w.await(api.ReasonTailnetReady, api.ReasonKeyCurrent)
	}
	if n := s.Count(http.MethodPost, keysPath); n > 6 {
		t.Errorf("%d mints", n)
	}
	a.wantUntouched()
}

// A minter that is asked to stop between making a key and storing it stores it.
//
// REQ: MT-06
func TestStop(t *testing.T) {
	w, s := withDouble(t)
	w.supply()
	proving, stopping := make(chan struct{}), make(chan struct{})
	s.Fail(double.Fault{Method: http.MethodGet, Path: keysPath, Times: 1, Answer: func(http.ResponseWriter, *http.Request) {
		close(proving)
		<-stopping
		panic(http.ErrAbortHandler) // it is asked again
	}})
	m := w.run()
	w.apply()
	<-proving
	m.cancel()
	close(stopping)
	m.stop()
	if _, ok := w.listed()[prefix(w.working().Data[api.WorkingKeySecretKey])]; !ok || s.Count(http.MethodPost, keysPath) != 1 {
		t.Errorf("listed %t, %d mints", ok, s.Count(http.MethodPost, keysPath))
	}
}
