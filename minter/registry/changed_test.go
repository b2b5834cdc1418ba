package registry_test

import (
	"testing"

	"tsunaro.io/gateway/minter/registry"
)

// REQ: LC-21
func TestChanged(t *testing.T) {
	base := map[string]string{"a_phase": "open", "b_phase": "open"}
	for _, c := range []struct {
		why   string
		after map[string]string
		want  bool
	}{
		{"nothing", map[string]string{"a_phase": "open", "b_phase": "open"}, false},
		{"another gateway's entry", map[string]string{"a_phase": "open", "b_phase": "complete"}, false},
		{"no field of an entry", map[string]string{"a_phase": "open", "a_note": "x"}, false},
		{"another value", map[string]string{"a_phase": "minting"}, true},
		{"one field more", map[string]string{"a_phase": "open", "a_mint_expires": ""}, true},
		{"gone", nil, true},
	} {
		if got := registry.Changed(base, c.after, "a"); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}
