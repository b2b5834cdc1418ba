package teardown

import (
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/verdict"
)

// key expires the minted key by its recorded ID (TD-02, B21). Once Headscale has
// moved its expiry, or does not have it any more, it makes no node. That it is the
// Headscale of the receipt, and the receipt readable, the stage before has seen.
func (p *pass) key() (v Verdict, done bool) {
	k, recorded := p.mintedKey()
	if !recorded || p.Attempt.Spent == k.id {
		return Verdict{}, true
	}
	expires, listed := p.KeyExpires.Get()
	switch {
	case p.KeyExpires.Absent():
		return Verdict{}, true
	case !listed:
		return say(blocked, ExpireKey, p.headscale()), false
	case expires.After(k.expires): // whose key that is, nobody can tell (MT-08)
		return say(blocked, ExpireKey, p.headscaleKey(k.id)), false
	case expires.Before(k.expires), !p.Now.Before(expires):
		return Verdict{}, true
	}
	return due(verdict.Step{Do: ExpireKey, Object: p.headscaleKey(k.id), Key: k.id}), false
}

// minted is a key as a receipt records it.
type minted struct {
	id      node.ID
	expires time.Time
}

// mintedKey is the key of the completion receipt, or else of an auth receipt of
// ours. Where there is neither, no metadata stand in for them (MT-04).
func (p *pass) mintedKey() (k minted, ok bool) {
	if p.whole {
		return minted{p.inventory.KeyID, p.inventory.Expires}, true
	}
	r, there := p.AuthReceipt.Get()
	if !there || r.Err != nil || !r.Of(p.uid()) || r.Receipt.Gateway.UID != p.uid() {
		return minted{}, false
	}
	return minted{r.Receipt.KeyID, r.Receipt.Expires}, true
}

// authKnown sees to it that, without a completion receipt, an auth receipt of ours
// tells its key: what cannot be read must not go unexpired.
func (p *pass) authKnown() (v Verdict, ok bool) {
	if p.whole {
		return Verdict{}, true
	}
	r, there := p.AuthReceipt.Get()
	_, recorded := p.mintedKey()
	switch {
	case p.AuthReceipt.Unknown():
		return unread(p.authReceipt()), false
	case there && r.Of(p.uid()) && !recorded:
		return say(blocked, DeleteNode, p.authReceipt()), false
	}
	return Verdict{}, true
}
