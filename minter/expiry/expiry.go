package expiry

import "time"

// layout is RFC 3339 without fractions and without another zone than UTC.
const layout = "2006-01-02T15:04:05Z"

// Format returns the text of a time, such as 2026-11-30T12:00:00Z; fractions of
// a second are cut off.
func Format(t time.Time) string { return t.UTC().Format(layout) }

// Parse reads what Format writes and nothing else. The zero time is no expiry:
// it is what Headscale stores when it was given none.
func Parse(text string) (t time.Time, ok bool) {
	t, err := time.Parse(layout, text)
	if err != nil || t.IsZero() || Format(t) != text {
		return time.Time{}, false
	}
	return t, true
}
