package headscaledouble

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tsunaro.io/gateway/minter/node"
)

// Key is a pre-auth key that was minted, with its bytes.
type Key struct {
	node.Key
	Bytes string // hskey-auth-PREFIX-SECRET
	Used  bool
}

type key struct {
	Key
	created time.Time
}

// Keys are all that were ever minted, in order.
func (s *Server) Keys() []Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Key
	for _, k := range s.keys {
		all = append(all, k.Key)
	}
	return all
}

// Errors of Register.
var (
	ErrUnknownKey = errors.New("no such pre-auth key")
	ErrExpiredKey = errors.New("the pre-auth key has expired")
	ErrUsedKey    = errors.New("the pre-auth key has been used")
)

// Register adds a machine that shows a pre-auth key: it gets the key's tags. One
// with a machine key that is known stays the same node, key or no key.
func (s *Server) Register(bytes string, n node.Node) (node.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.nodes {
		if n.MachineKey != "" && known.MachineKey == n.MachineKey {
			known.NodeKey, known.Online, known.Expired = n.NodeKey, n.Online, false
			return known.ID, nil
		}
	}
	i := slices.IndexFunc(s.keys, func(k *key) bool { return k.Bytes == bytes })
	if i < 0 {
		return "", ErrUnknownKey
	}
	k := s.keys[i]
	switch {
	case !s.options.Now().Before(k.Expiration):
		return "", ErrExpiredKey
	case k.Used && !k.Reusable:
		return "", ErrUsedKey
	}
	k.Used = true
	n.Tags, n.KeyID = k.Tags, k.ID
	return s.add(n), nil
}

// wireKey is a key in answers. Only the answer to its creation is unmasked.
type wireKey struct {
	User       *wireUser `json:"user"`
	ID         node.ID   `json:"id"`
	Key        string    `json:"key"`
	Reusable   bool      `json:"reusable"`
	Ephemeral  bool      `json:"ephemeral"`
	Used       bool      `json:"used"`
	Expiration *string   `json:"expiration"`
	CreatedAt  *string   `json:"createdAt"`
	Tags       []string  `json:"aclTags"`
}

func (k *key) wire() wireKey {
	return wireKey{
		ID: k.ID, Key: k.Bytes, Reusable: k.Reusable, Ephemeral: k.Ephemeral, Used: k.Used,
		Expiration: stamp(k.Expiration), CreatedAt: stamp(k.created), Tags: some(k.Tags),
	}
}

func (k *key) masked() wireKey {
	w := k.wire()
	w.Key = mask(k.Bytes)
	return w
}

func (s *Server) createKey(w http.ResponseWriter, r *http.Request) {
	var q struct {
		User                number
		Reusable, Ephemeral bool
		Expiration          time.Time // the zero time, year 0001, is kept and has passed
		Tags                []string  `json:"aclTags"`
		SnakeTags           []string  `json:"acl_tags"`
	}
	if !s.body(w, r, &q) {
		return
	}
	tags := slices.Compact(slices.Sorted(slices.Values(append(q.Tags, q.SnakeTags...))))
	for _, t := range tags {
		if !strings.HasPrefix(t, "tag:") || strings.ToLower(t) != t || len(strings.Fields(t)) > 1 {
			s.fail(w, invalid, "tag must start with the string 'tag:'")
			return
		}
	}
	if q.User > 1 {
		s.fail(w, unknown, "user not found")
		return
	}
	if q.User == 0 && len(tags) == 0 {
		s.fail(w, unknown, "auth-key must be either tagged or owned by user")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &key{created: s.options.Now(), Key: Key{Bytes: "hskey-auth-" + random(prefixLength) + "-" + random(secretLength), Key: node.Key{
		ID: node.ID(strconv.Itoa(len(s.keys) + 1)), Reusable: q.Reusable, Ephemeral: q.Ephemeral, Tags: tags, Expiration: q.Expiration,
	}}}
	s.keys = append(s.keys, k)
	reply(w, http.StatusOK, map[string]any{"preAuthKey": k.wire()})
}

// expireKey says yes to every id up to 0.29.
func (s *Server) expireKey(w http.ResponseWriter, r *http.Request) {
	var q struct{ ID number }
	if !s.body(w, r, &q) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := false
	for _, k := range s.keys {
		if string(k.ID) == q.ID.String() {
			k.Expiration, known = s.options.Now(), true
		}
	}
	if s.options.Next && !known {
		s.fail(w, notFound, "auth-key not found")
		return
	}
	reply(w, http.StatusOK, struct{}{})
}

func (s *Server) listKeys(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []wireKey{}
	for _, k := range s.keys {
		all = append(all, k.masked())
	}
	reply(w, http.StatusOK, map[string]any{"preAuthKeys": all})
}

// Lengths of the parts of keys.
const prefixLength, secretLength = 12, 64

// mask hides the secret: the form of lists.
func mask(key string) string { return key[:len(key)-secretLength] + "***" }

// random is n characters of base64; n is a multiple of four.
func random(n int) string {
	b := make([]byte, n/4*3)
	if _, err := rand.Read(b); err != nil {
		panic(err) // never (crypto/rand)
	}
	return base64.URLEncoding.EncodeToString(b)
}

// digest makes 64 hexadecimal digits of a text.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// some makes a list of none one that is written as [].
func some[T any](list []T) []T { return append([]T{}, list...) }
