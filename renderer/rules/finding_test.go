package rules

import "testing"

// TestOneLine: whatever an input calls its objects and fields, a finding is one
// line of printable text. Pipelines take commands from lines that begin so.
func TestOneLine(t *testing.T) {
	f := Finding{
		Rule: Required, Object: Object{Kind: "TailnetGateway", Name: "x\n::error::y"},
		Path: "spec.\x1b[31m\u2028z", Source: "a\r.yaml:1",
	}
	const want = "TailnetGateway/x?::error::y: spec.?[31m?z: is required [required] (a?.yaml:1)"
	if got := f.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
