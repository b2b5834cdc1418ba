package receipt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/renderer/model"
)

// encode writes JSON on one line: struct fields in their order, map keys sorted.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // structs, maps and lists of strings and numbers: cannot happen
	}
	return b
}

// decode reads exactly what encode writes of w's type. Whatever is unknown, twice
// there, spelled otherwise, before or behind, is not written again.
func decode(data []byte, w any) bool {
	return json.Unmarshal(data, w) == nil && bytes.Equal(encode(w), data)
}

// hash is the hexadecimal SHA-256 of a value's canonical JSON.
func hash(v any) string {
	sum := sha256.Sum256(encode(v))
	return hex.EncodeToString(sum[:])
}

func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == s
}

// key is the pre-auth key as both receipts name it.
type key struct {
	ID      string `json:"id"`
	Expires string `json:"expires"`
}

func newKey(id node.ID, expires time.Time) key {
	return key{string(id), expiry.Format(expires)}
}

func (k key) parse() (id node.ID, expires time.Time, ok bool) {
	id, isID := node.ParseID(k.ID)
	expires, isTime := expiry.Parse(k.Expires)
	return id, expires, isID && isTime
}

func (s Scope) valid() bool {
	return named(s.Name, s.UID) && s.Generation > 0 && s.Revision != "" && isHash(s.Spec)
}

func (s Secret) valid() bool { return named(s.Name, s.UID) && s.Revision != "" }

func named(name, uid string) bool { return model.Subdomain(name) && model.UID(uid) }
