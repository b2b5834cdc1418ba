package health

import (
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
)

// TestCorpusIsWhole: most states come from real runs, and each says what it is.
func TestCorpusIsWhole(t *testing.T) {
	count, seen := map[string]int{}, map[string]bool{}
	all := states(t)
	for _, s := range all {
		count[s.From]++
		count[s.Kind()]++
		count[s.Health]++
		if !strings.HasPrefix(filepath.Base(s.File), strings.ToLower(s.Health)+"_") || s.Why == "" || s.Kind() != s.Object.GetKind() {
			t.Errorf("%s: is %s, of a %s: %q", s.File, s.Health, s.Object.GetKind(), s.Why)
		}
		if seen[s.Why] {
			t.Errorf("two states: %s", s.Why)
		}
		seen[s.Why] = true
	}
	if n := count[corpus.Recorded]; n < 31 || 2*n < len(all) {
		t.Errorf("%d of %d states are recorded, want at least 31 and half of them", n, len(all))
	}
	for what, least := range map[string]int{
		api.KindTailnetGateway: 30, api.KindTailnet: 4,
		"Healthy": 2, "Suspended": 2, "Progressing": 8, "Degraded": 8,
	} {
		if count[what] < least {
			t.Errorf("%d states of %s, want at least %d", count[what], what, least)
		}
	}
}
