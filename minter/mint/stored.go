package mint

import (
	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/sealed"
)

// Stored is what the API server's answer to the Create of GW-auth holds, or a
// later read of it.
type Stored struct {
	UID, Revision string
	Immutable     bool
	Bytes         sealed.Bytes // data key api.AuthSecretKey
	ID            string       // annotation api.AnnotationKeyID
	Expires       string       // annotation api.AnnotationKeyExpires
}

// Confirm compares the answer to the Create of GW-auth with the key that was
// minted, and returns the reference for the receipt: UID and revision come from
// this answer and from nowhere else (MT-02). The error is a Reason.
func (m Minted) Confirm(name string, s Stored) (receipt.Secret, error) {
	switch {
	case s.UID == "" || s.Revision == "":
		return receipt.Secret{}, NoRevision
	case !s.Immutable:
		return receipt.Secret{}, Changeable
	case s.ID != string(m.ID):
		return receipt.Secret{}, OtherID
	case s.Expires != expiry.Format(m.Expiration):
		return receipt.Secret{}, OtherExpiry
	case m.Bytes.Empty() || !s.Bytes.Equal(m.Bytes):
		return receipt.Secret{}, OtherBytes
	}
	return receipt.Secret{Name: name, UID: s.UID, Revision: s.Revision}, nil
}
