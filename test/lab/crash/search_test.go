//go:build lab && linux

package crash

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// canary is the secret part of a key of Headscale's: hskey-KIND-PREFIX-SECRET, with
// a public prefix of 12 characters.
func canary(key string) (secret string, ok bool) {
	const kinds, prefix = 2, 12
	parts := strings.SplitN(key, "-", kinds+1)
	if len(parts) != kinds+1 || parts[0] != "hskey" || len(parts[kinds]) < prefix+32 || parts[kinds][prefix] != '-' {
		return "", false
	}
	return parts[kinds][prefix+1:], true
}

// forms are the texts by which a secret can be recognised: as it is, in hexadecimal
// digits, and in base64 at each alignment within something longer, without the
// characters that its neighbours have a part in.
func forms(secret string) [][]byte {
	inHex := hex.EncodeToString([]byte(secret))
	all := [][]byte{[]byte(secret), []byte(inHex), []byte(strings.ToUpper(inHex))}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := alphabet.EncodeToString(append(make([]byte, before), secret...))
			const bits = 6 // of a character
			first, end := (8*before+bits-1)/bits, 8*(before+len(secret))/bits
			all = append(all, []byte(text[first:end]))
		}
	}
	return all
}

// holds reports whether a text holds a secret in any form.
func holds(text []byte, secret string) bool {
	for _, form := range forms(secret) {
		if bytes.Contains(text, form) {
			return true
		}
	}
	return false
}

// What is not found by this is not there: a secret within other texts, encoded as a
// whole.
func TestSearch(t *testing.T) {
	const secret = "Ry-CEqAoPktb_2HTI6DPDn5Q7LiuN1mTF34SI-xx"
	whole, ok := canary("hskey-api-LiuN1mTF34SI-" + secret)
	if !ok || whole != secret {
		t.Fatalf("the secret part is %q", whole)
	}
	for _, wrong := range []string{"", "hskey-api-LiuN1mTF34SI", "hskey-api-LiuN1mTF34SI-short", "key-api-LiuN1mTF34SI-" + secret} {
		if _, ok := canary(wrong); ok {
			t.Errorf("%q is taken for a key", wrong)
		}
	}
	for before := range 7 {
		for after := range 4 {
			text := strings.Repeat("a", before) + secret + strings.Repeat("~", after)
			for how, encoded := range map[string]string{
				"plain": text, "hex": hex.EncodeToString([]byte(text)), "HEX": fmt.Sprintf("%X", text),
				"std": base64.StdEncoding.EncodeToString([]byte(text)), "url": base64.URLEncoding.EncodeToString([]byte(text)),
			} {
				if !holds([]byte("x"+encoded+"x"), secret) {
					t.Errorf("%s, %d before and %d after: not found", how, before, after)
				}
			}
		}
	}
	if holds([]byte(secret[1:]), secret) || holds([]byte(base64.StdEncoding.EncodeToString([]byte(secret[1:]))), secret) {
		t.Error("a part is taken for the whole")
	}
}
