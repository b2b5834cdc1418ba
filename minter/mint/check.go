package mint

import (
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
)

// Reason is why an answer is refused. It is an error with a fixed text, which
// holds nothing of the answer.
type Reason uint8

// The reasons, in the order in which Check looks for them, then those of Confirm.
const (
	BadID       Reason = iota + 1 // not the canonical spelling of a number, or zero
	NotReusable                   // the node could not register a second time
	Ephemeral                     // the node would go with its connection
	OtherTags                     // compared as sets: Headscale sorts them and drops duplicates
	OtherExpiry                   // none, or another than was asked for
	BadKey                        // no key, or bytes that are none

	NoRevision // the answer names no UID or no revision
	Changeable // the Secret is not immutable
	OtherID    // other than the minted one
	OtherBytes // other than the minted ones
)

var texts = [...]string{
	BadID:       "the key's ID is not a canonical number",
	NotReusable: "the key is not reusable",
	Ephemeral:   "the key is ephemeral",
	OtherTags:   "the key has other tags than were asked for",
	OtherExpiry: "the key has another expiry than was asked for",
	BadKey:      "the answer holds no key",
	NoRevision:  "the answer names no UID or no revision",
	Changeable:  "the Secret is not immutable",
	OtherID:     "the Secret names another key than was minted",
	OtherBytes:  "the Secret holds another key than was minted",
}

// Error returns the fixed text.
func (r Reason) Error() string { return texts[r] }

// Minted is a key that Check has accepted.
type Minted struct {
	ID         node.ID
	Expiration time.Time // UTC, whole seconds
	Bytes      sealed.Bytes
}

// Check compares Headscale's answer with what was asked for (MT-01, B19). The
// error is a Reason; with one, nothing is stored and nothing minted on top.
func Check(r Request, k node.Key, bytes sealed.Bytes) (Minted, error) {
	id, ok := node.ParseID(string(k.ID))
	switch {
	case !ok:
		return Minted{}, BadID
	case k.Reusable != r.Reusable:
		return Minted{}, NotReusable
	case k.Ephemeral != r.Ephemeral:
		return Minted{}, Ephemeral
	case !node.SameTags(k.Tags, r.Tags):
		return Minted{}, OtherTags
	case k.Expiration.IsZero() || !k.Expiration.Equal(r.Expiration):
		return Minted{}, OtherExpiry
	case !printable(bytes.Open()):
		return Minted{}, BadKey
	}
	return Minted{ID: id, Expiration: k.Expiration.UTC(), Bytes: bytes}, nil
}

// printable reports whether the key can stand in an environment variable: at
// least one character, all of them visible ASCII.
func printable(key []byte) bool {
	for _, c := range key {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return len(key) > 0
}
