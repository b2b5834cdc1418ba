package node

import (
	"slices"
	"testing"
)

// REQ: MT-01
func TestParseID(t *testing.T) {
	for _, s := range []string{"1", "7", "10", "18446744073709551615"} {
		if id, ok := ParseID(s); !ok || string(id) != s {
			t.Errorf("%q: %q %v", s, id, ok)
		}
	}
	for _, s := range []string{"", "0", "007", "+7", "-7", " 7", "7 ", "7.0", "0x7", "7_0", "1e3", "x", "18446744073709551616"} {
		if id, ok := ParseID(s); ok || id != "" {
			t.Errorf("%q is %q", s, id)
		}
	}
	ids := []ID{"10", "9", "2", "100", "11"}
	slices.SortFunc(ids, ID.Compare)
	if want := []ID{"2", "9", "10", "11", "100"}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
}
