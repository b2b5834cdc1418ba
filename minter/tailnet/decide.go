package tailnet

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Lifetime of a working key. The bootstrap key is used, and so proven, three times
// in two months; a key that a crash leaves behind is gone after one. A key is
// replaced when a third is left, so that there are ten days to see and mend a
// bootstrap key that no longer works.
const (
	Lifetime = 30 * day
	renewal  = Lifetime / 3
)

// Intervals between looks at a Tailnet that nothing wakes.
const (
	regular = time.Minute      // is the key still accepted, and how long will it last?
	soon    = 10 * time.Second // for what is awaited: Secrets are not watched
)

// Action is what a Step does.
type Action uint8

// The actions.
const (
	None    Action = iota
	Mint           // ask Headscale, with the bootstrap key and once, for a key with Expires
	Store          // write Secret: create it, or swap it where it has a revision
	Expire         // end the key with Prefix, with the working key
	Discard        // forget the minted key
	Delete         // delete Secret, by its UID and revision
)

// String names the action, for logs.
func (a Action) String() string {
	return [...]string{"None", "Mint", "Store", "Expire", "Discard", "Delete"}[a]
}

// Step is one write, or None.
type Step struct {
	Do      Action
	Expires time.Time
	Secret  *corev1.Secret
	Prefix  string
	Fickle  bool // with Discard: Headscale refuses the key that it made
}

// Decision is what is to be done, and what is to be said if that is nothing.
type Decision struct {
	Step   Step
	Report Report
	Again  time.Duration // when to look again without being woken

	// Stay means that a Leaving Tailnet must not go yet: of its key something is left
	// to be done.
	Stay bool
}

// Decide decides about the working key and the status of a Tailnet.
func Decide(w World) Decision {
	s := stateOf(w)
	var d Decision
	if w.Leaving {
		d.Step, d.Stay = s.retire()
	} else {
		d.Step = s.step()
	}
	d.Report = s.report(d.Step)
	d.Again = s.again(d.Report)
	if d.Stay {
		d.Again = soon
	}
	return d
}

// state is a World with what follows from it.
type state struct {
	World
	secret    Secret
	bootstrap Bootstrap
	own       bool      // the Secret is there and the minter's
	foreign   bool      // there is another of its name
	expires   time.Time // of the accepted key; the zero time where it is not known
	due       bool      // the key is accepted and is to be replaced
}

func stateOf(w World) *state {
	s := &state{World: w}
	secret, there := w.Secret.Get()
	s.own = there && secret.Of(w.Tailnet.Name)
	s.foreign = there && !s.own || s.sameName()
	s.bootstrap, _ = w.Bootstrap.Get()
	if s.own {
		s.secret, s.expires = secret, secret.Expires
	}
	if s.accepted() {
		if k, ok := s.current(); ok {
			s.expires = k.Expires
		}
		s.due = s.expires.IsZero() || !w.Now.Before(s.expires.Add(-renewal))
	}
	return s
}

func (s *state) deleting() bool { return s.Tailnet.DeletionTimestamp != nil }

// inUse reports whether the Tailnet stays for a gateway's teardown.
func (s *state) inUse() bool { return s.deleting() && s.InUse.Name != "" }

// current is the working key as Headscale lists it.
func (s *state) current() (Listed, bool) { return s.Answer.find(s.secret.Prefix) }

func (s *state) accepted() bool { return s.own && s.Answer.Reply == Accepted }

// open reports whether it is known which Headscale is meant, and whose the Secret
// is.
func (s *state) open() bool {
	return len(s.Refused) == 0 && s.CABundle.Known() && !s.Secret.Unknown() && !s.foreign
}

// needed reports whether a key is to be made. Without an answer the present one is
// left alone.
func (s *state) needed() bool {
	return !s.own || s.secret.Prefix == "" || s.Answer.Reply == Rejected || s.due
}

func (s *state) inHand() bool { return !s.Memory.Minted.Key.Empty() }

func (s *state) step() Step {
	minted := s.Memory.Minted
	switch {
	case !s.open():
		return Step{}
	case s.inHand() && s.own && minted.Key.Equal(s.secret.Key):
		return Step{Do: Discard} // it was stored, and the answer lost
	case s.needed():
		return s.replace()
	case !s.accepted() || s.waiting(false):
		return Step{}
	case s.inHand():
		return Step{Do: Expire, Prefix: minted.Prefix} // somebody else was first
	}
	return s.end()
}

// waiting reports whether a try now would be too soon.
func (s *state) waiting(mint bool) bool { return s.Now.Before(s.Memory.next(s.bootstrap, mint)) }

// replace makes the next key, proves it and stores it.
func (s *state) replace() Step {
	if !s.inHand() {
		if !s.Bootstrap.Known() || s.waiting(true) {
			return Step{}
		}
		return Step{Do: Mint, Expires: s.Now.UTC().Truncate(time.Second).Add(Lifetime)}
	}
	listed, ok := s.Proof.find(s.Memory.Minted.Prefix)
	switch {
	case s.Proof.Reply == Rejected, s.Proof.Reply == Accepted && (!ok || listed.Expires.IsZero()):
		return Step{Do: Discard, Fickle: true}
	case s.Proof.Reply != Accepted || s.waiting(false):
		return Step{}
	}
	return Step{Do: Store, Secret: s.secret.with(s.Tailnet.Name, s.Memory.Minted.Key, listed, s.replaced())}
}

// replaced are the prefixes that the next Secret records: those whose keys may
// still work, and that of the key before it. They are durable before the key that
// can expire them is.
func (s *state) replaced() []string {
	var all []string
	for _, p := range append(slices.Clone(s.secret.Replaced), s.secret.Prefix) {
		if p != "" && s.alive(p) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all[max(0, len(all)-maxReplaced):]
}

// alive reports whether Headscale lists a key that has not expired. The new key's
// list is as good as any.
func (s *state) alive(prefix string) bool {
	for _, a := range []Answer{s.Proof, s.Answer} {
		if a.Reply == Accepted {
			k, ok := a.find(prefix)
			return ok && (k.Expires.IsZero() || k.Expires.After(s.Now))
		}
	}
	return true
}

// end expires the first key that the accepted one has replaced. The bootstrap key
// is the user's, whatever the record says.
func (s *state) end() Step {
	if s.Bootstrap.Unknown() {
		return Step{}
	}
	for _, p := range s.secret.Replaced {
		if p != s.secret.Prefix && p != s.bootstrap.Prefix && s.alive(p) && !slices.Contains(s.Memory.Ended, p) {
			return Step{Do: Expire, Prefix: p}
		}
	}
	return Step{}
}
