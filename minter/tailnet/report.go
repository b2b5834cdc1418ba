package tailnet

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Report is what is to be said about a Tailnet.
type Report struct {
	Ready  Condition
	APIKey Condition
	Key    *v1alpha1.APIKeyStatus // nil where no key is known to work

	// When the keys expire, of which the metrics tell. Absent: there is no such key,
	// or it does not expire. Unknown: nobody can tell now, and what was told stays,
	// so that an alert sees it stand still.
	KeyExpires, BootstrapExpires observe.Fact[time.Time]
}

// Condition is a row of the table of conditions with its values.
type Condition struct {
	Reason string
	Values map[string]string
}

func says(reason string, values ...string) Condition {
	c := Condition{Reason: reason, Values: map[string]string{}}
	for i := 0; i+1 < len(values); i += 2 {
		c.Values[values[i]] = values[i+1]
	}
	return c
}

func (s *state) report(next Step) Report {
	return Report{
		Ready: s.ready(next), APIKey: s.apiKey(next), Key: s.keyStatus(),
		KeyExpires: s.keyExpires(), BootstrapExpires: s.bootstrapExpires(),
	}
}

func (s *state) keyExpires() observe.Fact[time.Time] {
	switch {
	case s.accepted():
		return moment(s.expires)
	case !s.open() && !s.foreign, s.own && s.Answer.Reply == Failing:
		return observe.Unknown[time.Time](observe.NotRead)
	}
	return observe.Absent[time.Time]()
}

// bootstrapExpires is as Headscale lists the key with the bootstrap key's prefix.
// That is the key itself: a prefix is part of its bytes.
func (s *state) bootstrapExpires() observe.Fact[time.Time] {
	if s.Bootstrap.Absent() {
		return observe.Absent[time.Time]()
	}
	for _, a := range []Answer{s.Answer, s.Proof} {
		if k, ok := a.find(s.bootstrap.Prefix); ok {
			return moment(k.Expires)
		}
	}
	if s.Bootstrap.Known() && s.accepted() {
		return observe.Absent[time.Time]()
	}
	return observe.Unknown[time.Time](observe.NotRead)
}

func moment(t time.Time) observe.Fact[time.Time] {
	if t.IsZero() {
		return observe.Absent[time.Time]()
	}
	return observe.Known(t)
}

// Names of what conditions speak of.
func (s *state) workingName() string { return "Secret/" + api.WorkingKeySecretName(s.Tailnet.Name) }

// BootstrapRef is where the bootstrap key is: a Secret and a key of its data.
func BootstrapRef(t *v1alpha1.Tailnet) (name, key string) {
	ref := t.Spec.BootstrapSecretRef
	return cmp.Or(string(ref.Name), api.DefaultBootstrapName), cmp.Or(string(ref.Key), api.DefaultBootstrapKey)
}

func (s *state) bootstrapName() string {
	name, _ := BootstrapRef(s.Tailnet)
	return "Secret/" + name
}

// sameName reports whether the bootstrap key lies where the working key belongs.
func (s *state) sameName() bool {
	name, _ := BootstrapRef(s.Tailnet)
	return name == api.WorkingKeySecretName(s.Tailnet.Name)
}

// ready is the condition Ready: first what a deletion waits for, then what hinders
// any use of Headscale, then the key, then what gateways need beside it.
func (s *state) ready(next Step) Condition {
	switch {
	case s.deleting() && s.Unread:
		return unread(api.KindTailnetGateway)
	case s.inUse():
		return says(api.ReasonInUse, "object", s.InUse.String())
	case len(s.Refused) > 0:
		f := s.Refused[0]
		return says(api.ReasonSpecRefused, "object", api.KindTailnet+"/"+s.Tailnet.Name, "rule", string(f.Rule), "path", f.Path)
	case s.CABundle.Unknown():
		return unread(s.caName())
	case s.CABundle.Absent():
		return says(api.ReasonCABundleMissing, "object", s.caName(), "key", s.caKey())
	case s.Secret.Unknown():
		return unread(s.workingName())
	case s.foreign:
		return s.blocked()
	case s.own && s.Answer.Reply == Failing:
		return says(api.ReasonHeadscaleUnreachable, "problem", string(s.Answer.Problem))
	case s.accepted() && s.secret.Prefix != "":
		return s.sources()
	}
	return s.without(next)
}

func unread(object string) Condition { return says(api.ReasonEvidenceUnavailable, "object", object) }

func (s *state) caName() string {
	if ref := s.Tailnet.Spec.CABundleConfigMapRef; ref != nil {
		return "ConfigMap/" + string(ref.Name)
	}
	return "ConfigMap"
}

func (s *state) caKey() string {
	if ref := s.Tailnet.Spec.CABundleConfigMapRef; ref != nil {
		return cmp.Or(string(ref.Key), api.DefaultCAKey)
	}
	return api.DefaultCAKey
}

// blocked names the command that clears, unless it would delete the bootstrap key.
func (s *state) blocked() Condition {
	c := says(api.ReasonKeyBlocked, "object", s.workingName())
	if !s.sameName() {
		c.Values["command"] = "kubectl delete secret " + api.WorkingKeySecretName(s.Tailnet.Name) + " -n " + namespaceOf(s.Tailnet)
	}
	return c
}

func namespaceOf(t *v1alpha1.Tailnet) string {
	return cmp.Or(string(t.Spec.OperatorNamespace), api.DefaultOperatorNamespace)
}

// sources is Ready once the key is accepted.
func (s *state) sources() Condition {
	ref := s.Tailnet.Spec.DNS.HostsConfigMapRef
	object := "ConfigMap/" + cmp.Or(string(ref.Name), api.DefaultHostsName)
	switch {
	case s.Hosts.Unknown():
		return unread(object)
	case s.Hosts.Absent():
		return says(api.ReasonHostsMissing, "object", object, "key", cmp.Or(string(ref.Key), api.DefaultHostsKey))
	}
	return says(api.ReasonTailnetReady)
}

// without is Ready without a key that works: what the next one waits for.
func (s *state) without(next Step) Condition {
	f := s.Memory.Failure
	refused := f.Count > 0 && !f.Refused.Empty() && f.Refused.Equal(s.bootstrap.Key)
	_, key := BootstrapRef(s.Tailnet)
	switch {
	case s.inHand() && s.Proof.Reply == Failing:
		return says(api.ReasonHeadscaleUnreachable, "problem", string(s.Proof.Problem))
	case s.inHand() && (next.Do == Store || f.Count > 0 && f.Step == Store):
		return says(api.ReasonKeyNotStored, "object", s.workingName())
	case s.Bootstrap.Unknown():
		return unread(s.bootstrapName())
	case s.Bootstrap.Absent():
		return says(api.ReasonBootstrapKeyMissing, "object", s.bootstrapName(), "key", key)
	case refused:
		return says(api.ReasonKeyRejected, "object", s.bootstrapName())
	case f.Count > 0 && f.Problem != "":
		return says(api.ReasonHeadscaleUnreachable, "problem", string(f.Problem))
	}
	return says(api.ReasonHeadscaleUnreachable, "problem", string(Fickle)) // a mint is not long ago
}

// apiKey is the condition APIKey.
func (s *state) apiKey(next Step) Condition {
	switch {
	case s.Secret.Unknown():
		return unread(s.workingName())
	case s.foreign || !s.own || s.secret.Prefix == "":
		return says(api.ReasonKeyMissing)
	case s.Answer.Reply == Rejected:
		return says(api.ReasonKeyRejected)
	case !s.accepted():
		return unread("Headscale")
	case s.due && next.Do == None:
		return says(api.ReasonRotationFailed)
	}
	return says(api.ReasonKeyCurrent)
}

// keyStatus is public: Headscale's ID and the expiry of the working key. It is kept
// while nothing is known, and withdrawn with the key.
func (s *state) keyStatus() *v1alpha1.APIKeyStatus {
	if s.Secret.Unknown() {
		return s.Tailnet.Status.APIKey
	}
	if !s.own || s.foreign || s.secret.Prefix == "" || s.Answer.Reply == Rejected {
		return nil
	}
	id := s.secret.ID
	if k, ok := s.current(); ok {
		id = k.ID
	}
	if id == "" || s.expires.IsZero() {
		return nil
	}
	return &v1alpha1.APIKeyStatus{ID: string(id), ExpiresAt: metav1.NewTime(s.expires.UTC().Truncate(time.Second))}
}

// again looks soon for what is awaited, but for a gateway, which wakes the Tailnet.
func (s *state) again(r Report) time.Duration {
	if (r.Ready.Reason == api.ReasonTailnetReady || s.inUse()) && r.APIKey.Reason == api.ReasonKeyCurrent {
		return regular
	}
	return soon
}
