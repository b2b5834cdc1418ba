package receipt

import (
	"errors"
	"time"

	"tsunaro.io/gateway/minter/node"
)

// authFormat is the only format of GW-auth-receipt.
const authFormat = 1

// Auth is GW-auth-receipt: the gateway and the Tailnet as they were when the key
// was minted, and the Secret that holds the key.
type Auth struct {
	Gateway Scope
	Tailnet Scope
	Secret  Secret
	KeyID   node.ID
	Expires time.Time // UTC, whole seconds
}

// Secret is an object as its Create response described it.
type Secret struct {
	Name     string `json:"name"`
	UID      string `json:"uid"`
	Revision string `json:"resourceVersion"`
}

// ErrAuth means that the data are no GW-auth-receipt of a known format.
var ErrAuth = errors.New("the auth receipt is not one that the minter wrote")

// Keeps reports whether GW-auth, as it is now, is still exactly what the Create
// response described: also a change of its metadata alone breaks it (MT-07).
func (a Auth) Keeps(s Secret) bool { return a.Secret == s }

// Encode returns the canonical bytes of the data key api.DataReceipt.
func (a Auth) Encode() []byte { return encode(a.wire()) }

// DecodeAuth reads what Encode writes. The error is ErrAuth.
func DecodeAuth(data []byte) (Auth, error) {
	var w authWire
	if !decode(data, &w) || w.Format != authFormat {
		return Auth{}, ErrAuth
	}
	a, ok := w.auth()
	if !ok {
		return Auth{}, ErrAuth
	}
	return a, nil
}

type authWire struct {
	Format  int    `json:"format"`
	Gateway Scope  `json:"gateway"`
	Tailnet Scope  `json:"tailnet"`
	Secret  Secret `json:"secret"`
	Key     key    `json:"key"`
}

func (a Auth) wire() authWire {
	return authWire{authFormat, a.Gateway, a.Tailnet, a.Secret, newKey(a.KeyID, a.Expires)}
}

func (w authWire) auth() (Auth, bool) {
	id, expires, ok := w.Key.parse()
	a := Auth{w.Gateway, w.Tailnet, w.Secret, id, expires}
	return a, ok && w.Gateway.valid() && w.Tailnet.valid() && w.Secret.valid()
}
