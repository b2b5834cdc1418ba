package tailnet

import "slices"

// tries is how often Headscale is asked in vain to end a key whose Tailnet goes:
// within a minute or two. A Tailnet does not stay for a Headscale that may never
// come back, or whose CA bundle went before it; without its Secret nobody has the
// key any more, and it ends by itself at most a Lifetime after it was made.
const tries = 3

// retire ends the working key of a Tailnet that nothing needs any more, with those
// that it has replaced, and then deletes its Secret. Stay means that something is
// left to be done. A Secret that is not the minter's stays.
func (s *state) retire() (next Step, stay bool) {
	switch {
	case s.Secret.Unknown():
		return Step{}, true
	case !s.own || s.foreign:
		return Step{}, false
	}
	if next, left := s.last(); left {
		return next, true
	}
	if s.Memory.Failure.Step == Delete && s.waiting(false) {
		return Step{}, true
	}
	return Step{Do: Delete, Secret: s.secret.live}, true
}

// gaveUp reports whether Headscale was asked in vain, and also since the deletion.
func (s *state) gaveUp() bool {
	f := s.Memory.Failure
	return f.Step == Expire && f.Count >= tries && !f.At.Before(s.Tailnet.DeletionTimestamp.Time)
}

// last is the next of the keys to be ended, the one that ends the others last; left
// is false where none is left that Headscale could be brought to end.
func (s *state) last() (next Step, left bool) {
	switch {
	case len(s.Refused) > 0, s.CABundle.Absent(), s.secret.Prefix == "", s.Answer.Reply == Rejected, s.gaveUp():
		return Step{}, false
	case s.CABundle.Unknown(), s.Bootstrap.Unknown(), s.waiting(false): // of the bootstrap key see end
		return Step{}, true
	case s.inHand() && s.Memory.Minted.Prefix != s.secret.Prefix:
		return Step{Do: Expire, Prefix: s.Memory.Minted.Prefix}, true
	}
	if before := s.end(); before.Do != None {
		return before, true
	}
	own := s.secret.Prefix
	return Step{Do: Expire, Prefix: own}, own != s.bootstrap.Prefix && !slices.Contains(s.Memory.Ended, own)
}
