//go:build lab && linux

package dns

import (
	"testing"

	"tsunaro.io/gateway/test/testbed/coredns"
	"tsunaro.io/gateway/test/testbed/netns"
)

// Addresses of the namespace beside its own: those of the upstreams.
const (
	upstream4 = "192.0.2.53"
	upstream6 = "2001:db8::53"
)

func TestMain(m *testing.M) {
	netns.Main(m, coredns.Prepare, upstream4+"/32", upstream6+"/128")
}
