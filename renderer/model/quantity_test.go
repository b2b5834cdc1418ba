package model

import "testing"

// TestQuantity: what is accepted comes out as API servers write it, also where
// they round (SetDefaults_ResourceList in k8s.io/kubernetes).
//
// REQ: RN-06, PD-08
func TestQuantity(t *testing.T) {
	for s, want := range map[string]string{
		"1000m": "1", "0.5": "500m", "1024Mi": "1Gi", "1": "1", "0": "0", "1.0005": "1001m",
		"100u": "1m", "1n": "1m", "0.0001": "1m", "1e-99": "1e-3", "1m": "1m",
	} {
		q, ok := ParseQuantity(s)
		if !ok || Served(q) != want {
			t.Errorf("%q: %q %v, want %q", s, Served(q), ok, want)
		}
	}
}
