package headscale

import (
	"context"
	"net/http"
	"time"

	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
)

const keysPath = "/api/v1/preauthkey"

// CreateKey mints a pre-auth key, once. What Headscale says of it is returned as
// it is: mint.Check compares it with the request, and a key that fails there can
// still be expired (MT-01).
func (c *Client) CreateKey(ctx context.Context, r mint.Request) (node.Key, sealed.Bytes, error) {
	body := struct {
		Reusable   bool     `json:"reusable"`
		Ephemeral  bool     `json:"ephemeral"`
		Expiration string   `json:"expiration"`
		Tags       []string `json:"aclTags"`
	}{r.Reusable, r.Ephemeral, timestamp(r.Expiration), append([]string{}, r.Tags...)}
	minted, err := ask(ctx, c, query{op: CreateKey, method: http.MethodPost, path: keysPath, body: body, mint: true}, parseKey)
	return minted.key, minted.bytes, err
}

// ExpireKey ends a pre-auth key now. Headscale 0.29 says yes to an id that it
// does not know, 0.30 answers NotFound.
func (c *Client) ExpireKey(ctx context.Context, id node.ID) error {
	if err := canonical(ExpireKey, id); err != nil {
		return err
	}
	body := struct {
		ID node.ID `json:"id"`
	}{id}
	_, err := ask(ctx, c, query{op: ExpireKey, method: http.MethodPost, path: keysPath + "/expire", body: body}, done)
	return err
}

// KeyExpiration is when the key of a known id expires; listed is false where
// Headscale does not have it. Nothing else of the list is looked at: whose key it
// is cannot be told from it (MT-08).
func (c *Client) KeyExpiration(ctx context.Context, id node.ID) (expires time.Time, listed bool, err error) {
	keys, err := ask(ctx, c, query{op: ListKeys, method: http.MethodGet, path: keysPath}, parseExpirations)
	expires, listed = keys[id]
	return expires, listed, err
}

// timestamp is a time as it is sent.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// minted is a key and its bytes.
type minted struct {
	key   node.Key
	bytes sealed.Bytes
}

func parseKey(body []byte) (m minted, ok bool) {
	var a struct {
		Key *struct {
			ID         string    `json:"id"`
			Key        string    `json:"key"`
			Reusable   *bool     `json:"reusable"`
			Ephemeral  *bool     `json:"ephemeral"`
			Expiration time.Time `json:"expiration"`
			Tags       []string  `json:"aclTags"`
		} `json:"preAuthKey"`
	}
	if !decode(body, &a) || a.Key == nil || a.Key.Reusable == nil || a.Key.Ephemeral == nil || !secret(a.Key.Key) {
		return m, false
	}
	k := a.Key
	id, ok := node.ParseID(k.ID)
	m.key = node.Key{ID: id, Reusable: *k.Reusable, Ephemeral: *k.Ephemeral, Tags: k.Tags, Expiration: k.Expiration}
	m.bytes = sealed.New(k.Key)
	return m, ok
}

// secret reports whether s can be a minted key: letters, digits, - and _. The
// form that lists show, with asterisks, is none.
func secret(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return s != ""
}

func parseExpirations(body []byte) (map[node.ID]time.Time, bool) {
	elements, ok := list(body, "preAuthKeys")
	var wire []struct {
		ID         string    `json:"id"`
		Expiration time.Time `json:"expiration"`
	}
	if !ok || !decode(elements, &wire) || wire == nil {
		return nil, false
	}
	keys := map[node.ID]time.Time{}
	for _, w := range wire {
		id, ok := node.ParseID(w.ID)
		if _, twice := keys[id]; !ok || twice {
			return nil, false
		}
		keys[id] = w.Expiration
	}
	return keys, true
}
