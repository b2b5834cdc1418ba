package receipt

import (
	"errors"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/registry"
)

// Format is the format of GW-fresh that is written.
const Format = 3

// Rules of the digests in a completion receipt (LC-17).
const (
	RuleV010    = 1 // of v0.10.0: without container images, TS_ROUTES and zone.db alone
	CurrentRule = 2 // verify.Digest
)

// Completion is GW-fresh: what a completed gateway consists of. Gateway and
// Tailnet are known by UID and identity, state and key by UID, each of the nine
// by UID and digest.
type Completion struct {
	Rule         int // RuleV010 or CurrentRule; only the latter is written
	RenderFormat int // RN-11
	Gateway      Subject
	Tailnet      Subject
	State        Reference // GW-state
	Auth         Reference // GW-auth-receipt
	KeyID        node.ID
	Expires      time.Time // of the key, a value (LC-14): UTC, whole seconds
	Objects      []Object  // the nine; decoded they are sorted by kind and name
}

// Reference is an object by name and UID.
type Reference struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// Object is one of the nine as it was admitted.
type Object struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	UID    string `json:"uid"`
	Digest string `json:"digest"` // under the receipt's rule
}

// The errors of DecodeCompletion.
var (
	// ErrCompletion means that the data are no completion receipt of this minter.
	ErrCompletion = errors.New("the completion receipt is not one that the minter wrote")
	// ErrFormerFormat means a receipt of format 1 or 2, which pins more than the
	// identity: such a gateway reports IdentityChanged (LC-17).
	ErrFormerFormat = errors.New("the completion receipt has a former format")
	// ErrUnknownFormat means a receipt of a format that is newer than this minter.
	ErrUnknownFormat = errors.New("the completion receipt has an unknown format")
	// ErrUnknownRule means digests under a rule that is newer than this minter.
	ErrUnknownRule = errors.New("the completion receipt has an unknown digest rule")
)

// Object returns the entry of an object.
func (c Completion) Object(kind, name string) (Object, bool) {
	for _, o := range c.Objects {
		if o.Kind == kind && o.Name == name {
			return o, true
		}
	}
	return Object{}, false
}

// RestsOn reports whether the receipt rests on this auth receipt, which is stored
// under ref: the same object, the same key with the same expiry, and gateway and
// Tailnet the same objects. Their generations may have moved on since.
func (c Completion) RestsOn(ref Reference, a Auth) bool {
	return c.Auth == ref && c.KeyID == a.KeyID && c.Expires.Equal(a.Expires) &&
		c.Gateway.Name == a.Gateway.Name && c.Gateway.UID == a.Gateway.UID &&
		c.Tailnet.Name == a.Tailnet.Name && c.Tailnet.UID == a.Tailnet.UID
}

// Entry is the entry of the bindings registry that goes with the receipt, for
// when it was lost (LC-21).
func (c Completion) Entry() registry.Entry {
	return registry.Entry{GatewayUID: c.Gateway.UID, StateUID: c.State.UID, Phase: registry.Complete}
}

// Encode returns the canonical bytes of the data key api.DataReceipt.
func (c Completion) Encode() []byte { return encode(c.wire()) }

// DecodeCompletion reads what Encode writes. The error is one of the four above.
func DecodeCompletion(data []byte) (Completion, error) {
	if err := recognised(data); err != nil {
		return Completion{}, err
	}
	var w completionWire
	if !decode(data, &w) {
		return Completion{}, ErrCompletion
	}
	c, ok := w.completion()
	if !ok {
		return Completion{}, ErrCompletion
	}
	return c, nil
}
