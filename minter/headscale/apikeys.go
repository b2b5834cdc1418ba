package headscale

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
)

const apiKeysPath = "/api/v1/apikey"

// APIKey is a key of the REST API without its bytes.
type APIKey struct {
	ID         node.ID
	Prefix     string    // what identifies it in public: 12 characters
	Expiration time.Time // the zero time where Headscale stored none
}

// A key is hskey-api-PREFIX-SECRET; lists show hskey-api-PREFIX-***.
const (
	apiKeyMark   = "hskey-api-"
	prefixLength = 12
)

// APIKeyPrefix is the public part of a key; ok is false for one in another form,
// like those of Headscale before 0.28.
func APIKeyPrefix(key sealed.Bytes) (prefix string, ok bool) {
	return prefixOf(strings.TrimSpace(string(key.Open())))
}

func prefixOf(s string) (prefix string, ok bool) {
	rest, ok := strings.CutPrefix(s, apiKeyMark)
	if !ok || len(rest) < prefixLength+2 || rest[prefixLength] != '-' || !secret(rest[:prefixLength]) {
		return "", false
	}
	return rest[:prefixLength], true
}

// CreateAPIKey mints a key for the REST API, once.
func (c *Client) CreateAPIKey(ctx context.Context, expiration time.Time) (sealed.Bytes, error) {
	body := struct {
		Expiration string `json:"expiration"`
	}{timestamp(expiration)}
	return ask(ctx, c, query{op: CreateAPIKey, method: http.MethodPost, path: apiKeysPath, body: body, mint: true}, parseAPIKey)
}

// ExpireAPIKey ends the key with the prefix now. Headscale 0.29 answers Refused
// for a prefix that it does not know, like for any other fault.
func (c *Client) ExpireAPIKey(ctx context.Context, prefix string) error {
	body := struct {
		Prefix string `json:"prefix"`
	}{prefix}
	_, err := ask(ctx, c, query{op: ExpireAPIKey, method: http.MethodPost, path: apiKeysPath + "/expire", body: body}, done)
	return err
}

// APIKeys lists the keys whose prefix is in the present form.
func (c *Client) APIKeys(ctx context.Context) ([]APIKey, error) {
	return ask(ctx, c, query{op: ListAPIKeys, method: http.MethodGet, path: apiKeysPath}, parseAPIKeys)
}

func parseAPIKey(body []byte) (sealed.Bytes, bool) {
	var a struct {
		Key string `json:"apiKey"`
	}
	if !decode(body, &a) || !secret(a.Key) {
		return sealed.Bytes{}, false
	}
	return sealed.New(a.Key), true
}

func parseAPIKeys(body []byte) ([]APIKey, bool) {
	elements, ok := list(body, "apiKeys")
	var wire []struct {
		ID         string    `json:"id"`
		Prefix     string    `json:"prefix"`
		Expiration time.Time `json:"expiration"`
	}
	if !ok || !decode(elements, &wire) || wire == nil {
		return nil, false
	}
	keys := []APIKey{}
	for _, w := range wire {
		id, ok := node.ParseID(w.ID)
		if !ok {
			return nil, false
		}
		if prefix, ok := prefixOf(w.Prefix); ok {
			keys = append(keys, APIKey{id, prefix, w.Expiration})
		}
	}
	return keys, true
}
