package policies

import (
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/policies"
)

// The golden corpus passes every rule: as it is, with and without its CRs, held
// against itself, and against itself as what lives.
//
// REQ: RN-02, UP-08
func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob(filepath.Join(golden, "*.in.yaml"))
	if err != nil || len(inputs) < 5 {
		t.Fatalf("%d inputs (%v), want at least 5", len(inputs), err)
	}
	onBuild, onChange, onDrift := engine(t, builds), engine(t, changes), engine(t, drifts)
	for _, in := range inputs {
		name := strings.TrimSuffix(filepath.Base(in), ".in.yaml")
		whole := rendering(t, name).list()
		nine := parse(t, readFile(t, filepath.Join(golden, name+".out.yaml"))).list()
		for _, c := range []struct {
			why    string
			engine *policies.Engine
			in     policies.Input
		}{
			{"with its CRs", onBuild, policies.Input{New: whole}},
			{"alone", onBuild, policies.Input{New: nine}},
			{"unchanged", onChange, policies.Input{New: whole, Old: whole}},
			{"unchanged, alone", onChange, policies.Input{New: nine, Old: nine}},
			{"new", onChange, policies.Input{New: whole, Old: []any{}}},
			{"live", onDrift, policies.Input{Desired: nine, Live: nine}},
		} {
			for _, f := range eval(t, c.engine, c.in) {
				t.Errorf("%s, %s: %s: %s: %s [%s]", name, c.why, f.Object, f.Path, f.Text, f.ID)
			}
		}
	}
}
