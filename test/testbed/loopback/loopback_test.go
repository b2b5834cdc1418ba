package loopback_test

import (
	"net/netip"
	"testing"

	"tsunaro.io/gateway/test/testbed/loopback"
)

func TestAddressesAreDistinctLoopbackOnes(t *testing.T) {
	seen := map[netip.Addr]bool{}
	for range 4 {
		a := loopback.Own()
		if !a.IsLoopback() || seen[a] {
			t.Errorf("%s after %v", a, seen)
		}
		seen[a] = true
	}
}
