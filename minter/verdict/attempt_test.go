package verdict_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
)

// due is the world and the step when an action is due.
func due(t *testing.T, a verdict.Action) (observe.World, verdict.Step) {
	t.Helper()
	w := at(t, a)
	v := verdict.Decide(w)
	if v.Step.Do != a {
		t.Fatalf("%s is due, not %s", v.Step.Do, a)
	}
	return w, v.Step
}

func after(w observe.World, s verdict.Step, r verdict.Result) observe.Attempt {
	return verdict.After(w.Attempt, string(gatewayIn(w).UID), s, r)
}

// An answer of Headscale's that is not what was asked for leads nowhere: not to a
// Secret, and not to a second request (B19).
//
// REQ: MT-01, MT-04
func TestWrongMint(t *testing.T) {
	for why, change := range map[string]func(*verdict.Result){
		"other tags":      func(r *verdict.Result) { r.Key.Tags = []string{"tag:other"} },
		"ephemeral":       func(r *verdict.Result) { r.Key.Ephemeral = true },
		"not reusable":    func(r *verdict.Result) { r.Key.Reusable = false },
		"no expiry":       func(r *verdict.Result) { r.Key.Expiration = time.Time{} },
		"another expiry":  func(r *verdict.Result) { r.Key.Expiration = r.Key.Expiration.Add(time.Second) },
		"no number":       func(r *verdict.Result) { r.Key.ID = "07" },
		"no key":          func(r *verdict.Result) { r.Bytes = sealed.Bytes{} },
		"an answer lost":  func(r *verdict.Result) { *r = verdict.Result{} },
		"a key with junk": func(r *verdict.Result) { r.Bytes = sealed.New("a\nb") },
	} {
		w, s := due(t, verdict.Mint)
		r := verdict.Result{Outcome: verdict.Done, Bytes: sealed.New("key"), Key: node.Key{
			ID: "7", Reusable: true, Tags: s.Request.Tags, Expiration: s.Request.Expiration,
		}}
		change(&r)
		w.Attempt = after(w, s, r)
		if v := verdict.Decide(w); v.Step.Do != verdict.None || v.Reason != "FreshBlocked" || !v.Again.Equal(start.Add(24*time.Hour)) {
			t.Errorf("%s: %q %s until %v", why, v.Step.Do, v.Reason, v.Again)
		}
	}
	w, s := due(t, verdict.Mint)
	w.Attempt = after(w, s, verdict.Result{Outcome: verdict.NotDone})
	if v := verdict.Decide(w); v.Step.Do != verdict.Mint {
		t.Errorf("a request that made no key: %q %s", v.Step.Do, v.Reason)
	}
}

// What the API server has stored is compared with what was minted.
//
// REQ: MT-02
func TestWrongSecret(t *testing.T) {
	for why, change := range map[string]func(*mint.Stored){
		"other bytes":  func(s *mint.Stored) { s.Bytes = sealed.New("other") },
		"another ID":   func(s *mint.Stored) { s.ID = "8" },
		"other expiry": func(s *mint.Stored) { s.Expires = "2026-11-30T12:00:01Z" },
		"no UID":       func(s *mint.Stored) { s.UID = "" },
		"no revision":  func(s *mint.Stored) { s.Revision = "" },
		"changeable":   func(s *mint.Stored) { s.Immutable = false },
	} {
		w, s := due(t, verdict.CreateAuth)
		r := mint.Stored{
			UID: uid(30), Revision: "8", Immutable: true, Bytes: s.Secret["authkey"],
			ID: s.Annotations["tsunaro.io/key-id"], Expires: s.Annotations["tsunaro.io/key-expires"],
		}
		change(&r)
		w.Attempt = after(w, s, verdict.Result{Outcome: verdict.Done, Stored: r})
		w.Auth = observe.Known(observe.Object{UID: uid(30), Revision: "8"})
		if v := verdict.Decide(w); v.Step.Do != verdict.None || v.Reason != "FreshBlocked" {
			t.Errorf("%s: %q %s", why, v.Step.Do, v.Reason)
		}
	}
}

// An attempt is about one gateway: a re-created one begins with nothing.
//
// REQ: LC-10
func TestAttemptIsOfOneGateway(t *testing.T) {
	w, s := due(t, verdict.Mint)
	a := verdict.After(w.Attempt, uid(99), s, verdict.Result{Outcome: verdict.Done})
	if a.Minting != nil || a.StateUID != "" || a.GatewayUID != uid(99) {
		t.Errorf("%+v", a)
	}
}

// What the records hold, and how they are labelled: by the gateway's UID, and by
// nothing that an engine prunes or a policy takes for one of the nine.
//
// REQ: LC-13, LC-18, MT-01, MT-03 (B15, B26)
func TestRecords(t *testing.T) {
	for _, a := range []verdict.Action{verdict.CreateState, verdict.CreateAuth, verdict.CreateAuthReceipt, verdict.CreateFresh} {
		w, s := due(t, a)
		g := string(gatewayIn(w).UID)
		want := map[string]string{"tsunaro.io/gateway-uid": g}
		if state, ok := w.State.Get(); ok {
			want["tsunaro.io/state-uid"] = state.UID
		}
		if !maps.Equal(s.Labels, want) || s.Immutable != (a != verdict.CreateState) || s.Object.Namespace != namespace || s.Revision != "" {
			t.Errorf("%s: %+v", a, s)
		}
	}
	_, s := due(t, verdict.CreateState)
	if s.Data != nil || s.Secret != nil {
		t.Errorf("the state Secret is created with %v, %v", s.Data, s.Secret)
	}

	_, s = due(t, verdict.Mint)
	if r := s.Request; !r.Reusable || r.Ephemeral || !slices.Equal(r.Tags, []string{"tag:gateway"}) || !r.Expiration.Equal(start.Add(24*time.Hour)) {
		t.Errorf("%+v", r)
	}

	_, s = due(t, verdict.CreateAuth)
	want := map[string]string{"tsunaro.io/key-id": "7", "tsunaro.io/key-expires": "2026-11-30T12:00:00Z"}
	if string(s.Secret["authkey"].Open()) != "key-0" || len(s.Secret) != 1 || !maps.Equal(s.Annotations, want) {
		t.Errorf("%+v", s)
	}

	w, s := due(t, verdict.CreateAuthReceipt)
	auth, err := receipt.DecodeAuth([]byte(s.Data[api.DataReceipt]))
	secret, _ := w.Auth.Get()
	if err != nil || auth.KeyID != "7" || auth.Secret != (receipt.Secret{Name: "lab-gw-auth", UID: secret.UID, Revision: secret.Revision}) ||
		!auth.Gateway.Same(receipt.GatewayScope(gatewayIn(w))) || auth.Gateway.Revision == "" || len(s.Data) != 1 {
		t.Errorf("%v %+v", err, auth)
	}

	w, s = due(t, verdict.CreateFresh)
	fresh, err := receipt.DecodeCompletion([]byte(s.Data[api.DataReceipt]))
	state, _ := w.State.Get()
	record, _ := w.AuthReceipt.Get()
	if err != nil || fresh.State != (receipt.Reference{Name: "lab-gw-state", UID: state.UID}) || fresh.KeyID != "7" ||
		fresh.Auth != (receipt.Reference{Name: "lab-gw-auth-receipt", UID: record.UID}) || fresh.RenderFormat != 1 || len(fresh.Objects) != 9 {
		t.Errorf("%v %+v", err, fresh)
	}
	if strings.Contains(s.Data[api.DataReceipt], "key-0") {
		t.Error("the receipt holds the key")
	}
}

// The registry is one ConfigMap of all gateways.
//
// REQ: LC-21
func TestEntries(t *testing.T) {
	for _, a := range []verdict.Action{verdict.OpenEntry, verdict.SwapMinting, verdict.SwapComplete, expired} {
		w := at(t, a)
		edit(&w.Registry, func(r *observe.Registry) {
			r.Revision, r.Data = "41", maps.Clone(r.Data)
			if r.Data == nil {
				r.Data = map[string]string{}
			}
			r.Data["other_gw_phase"] = "open"
		})
		s := verdict.Decide(w).Step
		if s.Data["other_gw_phase"] != "open" || s.Revision != "41" || s.Object.Name != "tsunaro-bindings" {
			t.Errorf("%s: %+v", a, s)
		}
		delete(s.Data, "other_gw_phase")
		state, _ := w.State.Get()
		want := map[string]string{"lab_gw_gateway_uid": string(gatewayIn(w).UID), "lab_gw_state_uid": state.UID}
		switch a {
		case verdict.OpenEntry:
			want["lab_gw_phase"] = "open"
		case verdict.SwapMinting:
			want["lab_gw_phase"], want["lab_gw_mint_expires"] = "minting", "2026-11-30T12:00:00Z"
		case verdict.SwapComplete:
			want["lab_gw_phase"] = "complete"
		case expired:
			want = map[string]string{}
		}
		if !maps.Equal(s.Data, want) {
			t.Errorf("%s: %v, want %v", a, s.Data, want)
		}
	}
	if w := at(t, verdict.OpenEntry); verdict.Decide(w).Step.Revision != "" {
		t.Error("a registry that is not there is created")
	}
}

// Deletes carry the UID that was looked at, and the state Secret's also the
// revision: it must be as empty then as it was when that was decided.
//
// REQ: LC-22, TD-03
func TestDeletes(t *testing.T) {
	w := at(t, unnamed)
	s := verdict.Decide(w).Step
	state, _ := w.State.Get()
	if s.UID != state.UID || s.Revision != state.Revision || s.UID == "" || s.Revision == "" {
		t.Errorf("%+v", s)
	}
	w = at(t, closed)
	s = verdict.Decide(w).Step
	if m, _ := w.Nine[observe.Workload].Get(); s.UID != m.UID || s.UID == "" {
		t.Errorf("%+v", s)
	}
}
