//go:build lab && linux

package tailnet

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"sync"
	"testing"
)

// canaries are the keys of a test. None of them may be seen anywhere.
type canaries struct {
	mu   sync.Mutex
	keys []string
}

func (c *canaries) add(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key = strings.TrimSpace(key); key != "" {
		c.keys = append(c.keys, key)
	}
}

// secretPart is what follows the public prefix: hskey-api-PREFIX-SECRET.
func secretPart(key string) string {
	const public = len("hskey-api-") + 12 + 1
	if len(key) <= public {
		return key
	}
	return key[public:]
}

// forms are the spellings in which a text can hide, in plain, base64 with any
// neighbour, and hexadecimal.
func forms(secret string) []string {
	all := []string{secret, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for offset := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("x", offset) + secret))
			all = append(all, text[4:len(text)-4]) // what the neighbours do not change
		}
	}
	return all
}

// unseen fails where a text holds a key.
func (c *canaries) unseen(t *testing.T, where, text string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range c.keys {
		for i, form := range forms(secretPart(key)) {
			if strings.Contains(text, form) {
				t.Errorf("%s holds a key, in form %d", where, i)
			}
		}
	}
}

// The search finds what it is for.
func TestCanaries(t *testing.T) {
	const key = "hskey-api-aaaaaaaaaaaa-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	for name, text := range map[string]string{
		"plain": "x" + key + "y", "quoted": `"` + key + `"`,
		"base64": base64.StdEncoding.EncodeToString([]byte("k=" + key)), "within": base64.StdEncoding.EncodeToString([]byte(`{"a":"` + key + `"}`)),
		"URL": base64.URLEncoding.EncodeToString([]byte(key)), "hex": hex.EncodeToString([]byte(key)),
	} {
		found := false
		for _, form := range forms(secretPart(key)) {
			found = found || strings.Contains(text, form)
		}
		if !found {
			t.Errorf("%s: not found in %s", name, text)
		}
	}
}
