package expiry

import (
	"testing"
	"time"
)

// REQ: LC-14, MT-03
func TestOneSpelling(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 7, 0, time.UTC)
	const text = "2026-11-30T12:00:07Z"
	if got := Format(at.Add(999 * time.Millisecond).In(time.FixedZone("", 3600))); got != text {
		t.Errorf("%s, want %s", got, text)
	}
	if got, ok := Parse(text); !ok || got != at {
		t.Errorf("%v %v, want %v", got, ok, at)
	}
	for _, other := range []string{
		"", "0001-01-01T00:00:00Z", "2026-11-30T12:00:07.0Z", "2026-11-30T12:00:07.5Z", "2026-11-30T12:00:07+00:00",
		"2026-11-30T13:00:07+01:00", "2026-11-30t12:00:07z", "2026-11-30 12:00:07Z", "2026-02-30T12:00:07Z",
		"2026-11-30T24:00:00Z", " 2026-11-30T12:00:07Z", "2026-11-30T12:00:07Z\n", "2026-11-30T12:00:7Z", "1764504007",
	} {
		if got, ok := Parse(other); ok || !got.IsZero() {
			t.Errorf("%q is %v", other, got)
		}
	}
}

// FuzzParse: what is read is written again byte for byte.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"2026-11-30T12:00:07Z", "2026-11-30T12:00:07.5Z", "9999-12-31T23:59:59Z", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := Parse(text); ok && (Format(at) != text || at.IsZero() || at.Location() != time.UTC) {
			t.Errorf("%q is %v", text, at)
		}
	})
}
