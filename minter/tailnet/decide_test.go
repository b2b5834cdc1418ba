package tailnet

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
)

// line is one line of the decision table. Value is part of the message of Ready.
type line struct {
	name  string
	world func() World
	step  Action
	ready string
	key   string // reason of APIKey
	value string
}

func with(base func() World, change func(*World)) func() World {
	return func() World {
		w := base()
		change(&w)
		return w
	}
}

func failing(f Failure) func(*World) {
	return func(w *World) {
		f.Count, f.At = 1, w.Now
		w.Memory.Failure = f
	}
}

func deleted(w *World) { w.Tailnet.DeletionTimestamp = &metav1.Time{Time: start} }

func inUse(base func() World) func() World {
	return with(base, func(w *World) { deleted(w); w.InUse = rules.Object{Kind: "TailnetGateway", Name: "lab-gw"} })
}

var table = []line{
	{"no key", fresh, Mint, "HeadscaleUnreachable", "KeyMissing", ""},
	{"an accepted key", current, None, "TailnetReady", "KeyCurrent", ""},
	{"a due key", ageing, Mint, "TailnetReady", "KeyCurrent", ""},
	{"a moment before", with(ageing, func(w *World) { w.Now = start.Add(-time.Second) }), None, "TailnetReady", "KeyCurrent", ""},
	{"a refused key", with(current, func(w *World) { w.Answer = Answer{Reply: Rejected} }), Mint, "HeadscaleUnreachable", "KeyRejected", ""},
	{"content that is no key", with(current, func(w *World) { w.Secret, w.Answer = secretWith("", full), Answer{} }), Mint, "HeadscaleUnreachable", "KeyMissing", ""},
	{"an accepted key without any expiry", with(current, func(w *World) {
		w.Secret, w.Answer = secretWith(firstKey, time.Time{}), accepts(listed("5", firstKey, time.Time{}))
	}), Mint, "TailnetReady", "KeyCurrent", ""},

	// A deletion that waits for a gateway's teardown: the key goes on.
	{"in use", inUse(current), None, "InUse", "KeyCurrent", "kept until TailnetGateway/lab-gw is gone"},
	{"in use, a due key", inUse(ageing), Mint, "InUse", "KeyCurrent", "TailnetGateway/lab-gw"},
	{"in use, no connection", inUse(with(current, func(w *World) { w.Answer = Answer{Reply: Failing, Problem: NoConnection} })), None, "InUse", "EvidenceUnavailable", ""},
	{"in use, and not deleted", with(current, func(w *World) { w.InUse = rules.Object{Kind: "TailnetGateway", Name: "lab-gw"} }), None, "TailnetReady", "KeyCurrent", ""},
	{"deleted, gateways unread", with(current, func(w *World) { deleted(w); w.Unread = true }), None, "EvidenceUnavailable", "KeyCurrent", "TailnetGateway could not be read"},
	{"gateways unread", with(current, func(w *World) { w.Unread = true }), None, "TailnetReady", "KeyCurrent", ""},

	// Headscale does not say: nothing is made, nothing is claimed.
	{"no connection", with(current, func(w *World) { w.Answer = Answer{Reply: Failing, Problem: NoConnection} }), None, "HeadscaleUnreachable", "EvidenceUnavailable", "there is no answer"},
	{"no connection, due", with(ageing, func(w *World) { w.Answer = Answer{Reply: Failing, Problem: NoConnection} }), None, "HeadscaleUnreachable", "EvidenceUnavailable", ""},
	{"a proxy", with(current, func(w *World) { w.Answer = Answer{Reply: Failing, Problem: NotHeadscale} }), None, "HeadscaleUnreachable", "EvidenceUnavailable", "is not Headscale"},
	{"another certificate", with(current, func(w *World) { w.Answer = Answer{Reply: Failing, Problem: NotTrusted} }), None, "HeadscaleUnreachable", "EvidenceUnavailable", "certificate"},

	// The bootstrap key.
	{"bootstrap missing", with(fresh, func(w *World) { w.Bootstrap = observe.Absent[Bootstrap]() }), None, "BootstrapKeyMissing", "KeyMissing", "Secret/headscale-bootstrap does not exist, or has no key apikey"},
	{"bootstrap unread", with(fresh, func(w *World) { w.Bootstrap = observe.Unknown[Bootstrap](observe.Denied) }), None, "EvidenceUnavailable", "KeyMissing", "Secret/headscale-bootstrap"},
	{"bootstrap refused", with(fresh, failing(Failure{Step: Mint, Refused: sealed.New(userKey)})), None, "KeyRejected", "KeyMissing", "Secret/headscale-bootstrap"},
	{"bootstrap refused and replaced", with(fresh, failing(Failure{Step: Mint, Refused: sealed.New("other-bytes")})), Mint, "HeadscaleUnreachable", "KeyMissing", ""},
	{"bootstrap missing, key good", with(current, func(w *World) { w.Bootstrap = observe.Absent[Bootstrap]() }), None, "TailnetReady", "KeyCurrent", ""},
	{"bootstrap missing, key due", with(ageing, func(w *World) { w.Bootstrap = observe.Absent[Bootstrap]() }), None, "TailnetReady", "RotationFailed", ""},
	{"bootstrap refused, key due", with(ageing, failing(Failure{Step: Mint, Refused: sealed.New(userKey)})), None, "TailnetReady", "RotationFailed", ""},
	{"bootstrap refused, key refused", with(with(current, func(w *World) { w.Answer = Answer{Reply: Rejected} }), failing(Failure{Step: Mint, Refused: sealed.New(userKey)})), None, "KeyRejected", "KeyRejected", ""},

	// A mint that failed is tried again, later.
	{"mint failed", with(fresh, failing(Failure{Step: Mint, Problem: Errs})), None, "HeadscaleUnreachable", "KeyMissing", "it answers with an error"},
	{"mint failed a while ago", with(with(fresh, failing(Failure{Step: Mint, Problem: Errs})), func(w *World) { w.Now = w.Now.Add(shortPause) }), Mint, "HeadscaleUnreachable", "KeyMissing", ""},
	{"mint lost", with(with(fresh, failing(Failure{Step: Mint, Problem: NoConnection})), func(w *World) {
		w.Memory.Mints, w.Memory.Last, w.Now = 4, start, start.Add(time.Minute)
	}), None, "HeadscaleUnreachable", "KeyMissing", "there is no answer"},
	{"mint not long ago", with(fresh, func(w *World) { w.Memory.Mints, w.Memory.Last = 1, start }), None, "HeadscaleUnreachable", "KeyMissing", "it has just made"},

	// A key in hand is proven, then stored, then the one before it ended.
	{"proven", with(fresh, func(w *World) { *w = holding(*w) }), Store, "KeyNotStored", "KeyMissing", "Secret/home-apikey"},
	{"proven, old due", with(ageing, func(w *World) { *w = holding(*w) }), Store, "TailnetReady", "KeyCurrent", ""},
	{"no proof yet", with(fresh, func(w *World) { *w = holding(*w); w.Proof = Answer{Reply: Failing, Problem: NoConnection} }), None, "HeadscaleUnreachable", "KeyMissing", "there is no answer"},
	{"no proof yet, old due", with(ageing, func(w *World) { *w = holding(*w); w.Proof = Answer{Reply: Failing, Problem: NoConnection} }), None, "TailnetReady", "RotationFailed", ""},
	{"disproven", with(fresh, func(w *World) { *w = holding(*w); w.Proof = Answer{Reply: Rejected} }), Discard, "HeadscaleUnreachable", "KeyMissing", ""},
	{"accepted and not listed", with(fresh, func(w *World) { *w = holding(*w); w.Proof = accepts(userListed) }), Discard, "HeadscaleUnreachable", "KeyMissing", ""},
	{"accepted and without an expiry", with(fresh, func(w *World) { *w = holding(*w); w.Proof = accepts(listed("6", secondKey, time.Time{})) }), Discard, "HeadscaleUnreachable", "KeyMissing", ""},
	{"storing failed", with(with(fresh, func(w *World) { *w = holding(*w) }), failing(Failure{Step: Store})), None, "KeyNotStored", "KeyMissing", "Secret/home-apikey"},
	{"storing failed a while ago", with(with(with(fresh, func(w *World) { *w = holding(*w) }), failing(Failure{Step: Store})), func(w *World) { w.Now = w.Now.Add(shortPause) }), Store, "KeyNotStored", "KeyMissing", ""},
	{"stored, and the answer lost", with(current, func(w *World) {
		*w = holding(*w)
		w.Secret, w.Answer = secretWith(secondKey, full), accepts(listed("6", secondKey, full))
	}), Discard, "TailnetReady", "KeyCurrent", ""},
	{"somebody else has stored another", with(current, func(w *World) { *w = holding(*w) }), Expire, "TailnetReady", "KeyCurrent", ""},
	{"the old one lives", with(current, replacedBy("old")), Expire, "TailnetReady", "KeyCurrent", ""},
	{"the old one could not be ended just now", with(with(current, replacedBy("old")), failing(Failure{Step: Expire, Problem: Errs})), None, "TailnetReady", "KeyCurrent", ""},
	{"the old one was ended by this process", with(with(current, replacedBy("old")), func(w *World) { w.Memory.Ended = []string{"old"} }), None, "TailnetReady", "KeyCurrent", ""},
	{"the old one lives, and there is no answer", with(with(current, replacedBy("old")), func(w *World) { w.Answer = Answer{Reply: Failing, Problem: NoConnection} }), None, "HeadscaleUnreachable", "EvidenceUnavailable", ""},
	{"the old one has expired", with(with(current, replacedBy("old")), func(w *World) { w.Answer.Keys[2].Expires = start }), None, "TailnetReady", "KeyCurrent", ""},
	{"the old one is not listed", with(with(current, replacedBy("old")), func(w *World) { w.Answer.Keys = w.Answer.Keys[:2] }), None, "TailnetReady", "KeyCurrent", ""},
	{"the record names the bootstrap key", with(current, replacedBy(prefixOf(userKey))), None, "TailnetReady", "KeyCurrent", ""},
	{"the record may name the bootstrap key", with(with(current, replacedBy("old")), func(w *World) { w.Bootstrap = observe.Unknown[Bootstrap](observe.Denied) }), None, "TailnetReady", "KeyCurrent", ""},
	{"the record names the key itself", with(current, replacedBy(prefixOf(firstKey))), None, "TailnetReady", "KeyCurrent", ""},

	// The Secret is somebody else's, or not known.
	{"foreign", with(current, secretThat(func(s *Secret) { s.Labels = nil })), None, "KeyBlocked", "KeyMissing", "kubectl delete secret home-apikey -n gateways"},
	{"of another Tailnet", with(current, secretThat(func(s *Secret) { s.Labels = map[string]string{api.LabelTailnet: "work"} })), None, "KeyBlocked", "KeyMissing", "Secret/home-apikey"},
	{"immutable", with(current, secretThat(func(s *Secret) { s.Immutable = true })), None, "KeyBlocked", "KeyMissing", ""},
	{"being deleted", with(current, secretThat(func(s *Secret) { s.Deleting = true })), None, "KeyBlocked", "KeyMissing", ""},
	{"foreign, with a key in hand", with(fresh, func(w *World) {
		*w = holding(*w)
		secretThat(func(s *Secret) { s.Labels = nil })(w)
	}), None, "KeyBlocked", "KeyMissing", ""},
	{"the bootstrap key is there", with(fresh, func(w *World) { w.Tailnet.Spec.BootstrapSecretRef.Name = "home-apikey" }), None, "KeyBlocked", "KeyMissing", ""},
	{"unread", with(fresh, func(w *World) { w.Secret = observe.Unknown[Secret](observe.Unreachable) }), None, "EvidenceUnavailable", "EvidenceUnavailable", "Secret/home-apikey"},

	// What comes before any key, and what after.
	{"refused spec", with(fresh, func(w *World) {
		w.Secret = observe.Fact[Secret]{}
		w.Refused = rules.Refusal{{Rule: "syntax", Path: "spec.controlURL"}}
	}), None, "SpecRefused", "EvidenceUnavailable", "Tailnet/home breaks the rule syntax at spec.controlURL"},
	{"CA missing", with(fresh, func(w *World) { w.CABundle = observe.Absent[string]() }), None, "CABundleMissing", "KeyMissing", "ConfigMap/headscale-ca"},
	{"CA missing, with a key", with(current, func(w *World) { w.CABundle, w.Answer = observe.Absent[string](), Answer{} }), None, "CABundleMissing", "EvidenceUnavailable", "ca.crt"},
	{"CA unread", with(fresh, func(w *World) { w.CABundle = observe.Unknown[string](observe.Unreachable) }), None, "EvidenceUnavailable", "KeyMissing", "ConfigMap/headscale-ca"},
	{"hosts missing", with(current, func(w *World) { w.Hosts = observe.Absent[struct{}]() }), None, "HostsMissing", "KeyCurrent", "ConfigMap/hosts-of-home does not exist, has no key hosts"},
	{"hosts missing hold up no key", with(fresh, func(w *World) { w.Hosts = observe.Absent[struct{}]() }), Mint, "HeadscaleUnreachable", "KeyMissing", ""},
	{"hosts unread", with(current, func(w *World) { w.Hosts = observe.Unknown[struct{}](observe.Unreachable) }), None, "EvidenceUnavailable", "KeyCurrent", "ConfigMap/hosts-of-home"},
}

func secretThat(change func(*Secret)) func(*World) {
	return func(w *World) {
		s := SecretOf(liveSecret(firstKey, full))
		s.Prefix = prefixOf(firstKey)
		change(&s)
		w.Secret, w.Answer = observe.Known(s), Answer{}
	}
}

func replacedBy(prefix string) func(*World) {
	return func(w *World) {
		w.Secret = secretWith(firstKey, full, prefix)
		w.Answer = accepts(userListed, listed("5", firstKey, full), Listed{ID: "4", Prefix: prefix, Expires: full})
	}
}

// REQ: MT-06, ST-01, ST-07, DL-08, LC-06
func TestDecide(t *testing.T) {
	for _, l := range table {
		w := l.world()
		d := Decide(w)
		ready, key := row(api.ConditionReady, d.Report.Ready), row(api.ConditionAPIKey, d.Report.APIKey)
		text := ready.Message(d.Report.Ready.Values)
		if d.Step.Do != l.step || ready.Reason != l.ready || key.Reason != l.key || !strings.Contains(text, l.value) {
			t.Errorf("%s: %s, Ready %s (%s), APIKey %s; want %s, %s (%s), %s", l.name, d.Step.Do, ready.Reason, text, key.Reason, l.step, l.ready, l.value, l.key)
		}
		if strings.ContainsAny(text+key.Message(d.Report.APIKey.Values), "{}") {
			t.Errorf("%s: a value is missing: %s", l.name, text)
		}
		if good := (ready.Reason == "TailnetReady" || ready.Reason == "InUse") && key.Reason == "KeyCurrent"; good != (d.Again == regular) || d.Again == 0 {
			t.Errorf("%s: again after %s", l.name, d.Again)
		}
	}
}

// Every reason of a Tailnet's conditions is met, but for the one of a later issue.
//
// REQ: ST-09
func TestEveryReasonIsMet(t *testing.T) {
	met := map[api.Key]bool{
		{Kind: api.KindTailnet, Type: api.ConditionReady, Reason: api.ReasonInUse}:          true, // TD-07
		{Kind: api.KindTailnet, Type: api.ConditionReconciling, Reason: api.ReasonAwaiting}: true,
		{Kind: api.KindTailnet, Type: api.ConditionStalled, Reason: api.ReasonBlocked}:      true,
	}
	for _, l := range table {
		met[api.Key{Kind: api.KindTailnet, Type: api.ConditionReady, Reason: l.ready}] = true
		met[api.Key{Kind: api.KindTailnet, Type: api.ConditionAPIKey, Reason: l.key}] = true
	}
	for _, c := range api.Conditions {
		if c.Kind == api.KindTailnet && !met[c.Key()] {
			t.Errorf("no line of the table has %v", c.Key())
		}
	}
}

// The command that clears is not shown where it would delete the bootstrap key.
func TestNoCommandAgainstTheBootstrapKey(t *testing.T) {
	w := fresh()
	w.Tailnet.Spec.BootstrapSecretRef.Name = "home-apikey"
	r := Decide(w).Report.Ready
	if text := row(api.ConditionReady, r).Message(r.Values); strings.Contains(text, "kubectl") {
		t.Error(text)
	}
}

// A key is asked for in whole seconds, for its whole lifetime.
func TestLifetime(t *testing.T) {
	w := fresh()
	w.Now = start.Add(999 * time.Millisecond).In(time.FixedZone("", 3600))
	if at := Decide(w).Step.Expires; !at.Equal(full) || at.Location() != time.UTC {
		t.Errorf("expires %v", at)
	}
}

// What is stored: the key, what is public of it, and the prefixes that are to be
// ended. The rest of the Secret stays.
//
// REQ: MT-06
func TestStore(t *testing.T) {
	w := ageing()
	w.Secret = secretWith(firstKey, start.Add(renewal), "gone", "old")
	w.Answer.Keys = append(w.Answer.Keys, Listed{ID: "3", Prefix: "gone", Expires: start}, Listed{ID: "4", Prefix: "old", Expires: full})
	w = holding(w)
	s := Decide(w).Step.Secret
	notes := s.Annotations
	if string(s.Data[api.WorkingKeySecretKey]) != secondKey || s.Name != "home-apikey" || s.ResourceVersion != "7" || s.UID != "secret-uid" ||
		notes[api.AnnotationKeyID] != "6" || notes[api.AnnotationKeyExpires] != "2026-12-30T12:00:00Z" ||
		notes[api.AnnotationKeysReplaced] != "old,first" || notes["x.example/y"] != "z" || s.Labels[api.LabelTailnet] != "home" {
		t.Errorf("%+v", s)
	}
	s = Decide(holding(fresh())).Step.Secret
	if string(s.Data[api.WorkingKeySecretKey]) != secondKey || s.ResourceVersion != "" || s.UID != "" || s.Labels[api.LabelTailnet] != "home" ||
		s.Annotations[api.AnnotationKeysReplaced] != "" || s.Immutable != nil {
		t.Errorf("%+v", s)
	}
}

// The record of replaced keys is bounded, and holds nothing but prefixes.
func TestPrefixes(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      nil,
		"a,b,a":                 {"a", "b"},
		"a, b,../x,c\n,d/e,%2f": {"a"},
		"1,2,3,4,5,6,7,8,9,10":  {"3", "4", "5", "6", "7", "8", "9", "10"},
		strings.Repeat("a", 65): nil,
	} {
		if got := prefixes(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Mints become rare, whatever becomes of them; what costs nothing does not.
func TestPauses(t *testing.T) {
	for n, want := range map[int]time.Duration{1: 15 * time.Second, 2: 30 * time.Second, 3: time.Minute, 9: time.Hour, 1000: time.Hour} {
		m := Memory{Mints: n, Last: start}
		if got := m.next(Bootstrap{}, true).Sub(start); got != want {
			t.Errorf("%d mints: %s, want %s", n, got, want)
		}
		if !m.next(Bootstrap{}, false).IsZero() {
			t.Error("a mint holds up other steps")
		}
	}
	m := Memory{Failure: Failure{Count: 1000, At: start}}
	if got := m.next(Bootstrap{}, false).Sub(start); got != time.Minute {
		t.Errorf("failures: %s", got)
	}
}

// What the metrics are told.
//
// REQ: MT-06
func TestExpiries(t *testing.T) {
	unknown, absent := observe.Unknown[time.Time](observe.NotRead), observe.Absent[time.Time]()
	for name, c := range map[string]struct {
		world          World
		key, bootstrap observe.Fact[time.Time]
	}{
		"current":      {current(), observe.Known(full), observe.Known(userListed.Expires)},
		"fresh":        {fresh(), absent, unknown},
		"in hand":      {holding(fresh()), absent, observe.Known(userListed.Expires)},
		"no bootstrap": {with(current, func(w *World) { w.Bootstrap = observe.Absent[Bootstrap]() })(), observe.Known(full), absent},
		"old form":     {with(current, func(w *World) { w.Bootstrap = observe.Known(Bootstrap{Key: sealed.New("x")}) })(), observe.Known(full), absent},
		"no answer":    {with(current, func(w *World) { w.Answer = Answer{Reply: Failing} })(), unknown, unknown},
		"refused":      {with(current, func(w *World) { w.Answer = Answer{Reply: Rejected} })(), absent, unknown},
		"unread":       {with(current, func(w *World) { w.Secret, w.Answer = observe.Unknown[Secret](observe.Denied), Answer{} })(), unknown, unknown},
		"foreign":      {with(current, secretThat(func(s *Secret) { s.Labels = nil }))(), absent, unknown},
	} {
		r := Decide(c.world).Report
		if r.KeyExpires != c.key || r.BootstrapExpires != c.bootstrap {
			t.Errorf("%s: %v %v", name, r.KeyExpires, r.BootstrapExpires)
		}
	}
}
