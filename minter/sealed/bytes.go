package sealed

import (
	"crypto/subtle"
	"fmt"
	"log/slog"
)

// text is what a secret looks like wherever it is printed, logged or marshalled.
const text = "[sealed]"

// Bytes is a secret. Every way of printing or encoding it gives a fixed text;
// Open is the only way to the content, so that all uses can be found by name.
// The zero value is an absent secret.
//
// In an unexported field of somebody's struct fmt prints what it finds and asks
// no method. It follows a pointer there not at all, or one step: hence two.
type Bytes struct{ content **[]byte }

// New takes a copy of the content.
func New[T ~string | ~[]byte](content T) Bytes {
	if len(content) == 0 {
		return Bytes{}
	}
	own := &[]byte{}
	*own = append(*own, content...)
	return Bytes{&own}
}

// Open returns the content, which the caller must neither log nor change.
func (b Bytes) Open() []byte {
	if b.content == nil {
		return nil
	}
	return **b.content
}

// Empty reports whether there is no secret.
func (b Bytes) Empty() bool { return len(b.Open()) == 0 }

// Equal compares in constant time.
func (b Bytes) Equal(c Bytes) bool { return subtle.ConstantTimeCompare(b.Open(), c.Open()) == 1 }

var (
	_ fmt.Formatter  = Bytes{}
	_ slog.LogValuer = Bytes{}
)

// Format writes the fixed text for every verb.
func (Bytes) Format(f fmt.State, _ rune) {
	// The error is the writer's own, which fmt keeps.
	_, _ = f.Write([]byte(text))
}

// String returns the fixed text.
func (Bytes) String() string { return text }

// GoString returns the fixed text.
func (Bytes) GoString() string { return text }

// LogValue returns the fixed text.
func (Bytes) LogValue() slog.Value { return slog.StringValue(text) }

// MarshalText encodes the fixed text, also in JSON and YAML.
func (Bytes) MarshalText() ([]byte, error) { return []byte(text), nil }
