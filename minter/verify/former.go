package verify

import (
	"maps"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/digest"
)

// FormerDigest is the Digest of a live object under receipt.RuleV010, which left
// out container images, TS_ROUTES and zone.db alone: Corefile, hosts and what the
// API server allocates were pinned (LC-17). The annotations that go with zone.db
// and with the pool labels were no part of it. The error is ErrType.
func FormerDigest(live Live) (string, error) {
	t, err := tree(live)
	if err != nil {
		return "", err
	}
	data, _ := t["data"].(map[string]any)
	pinned := maps.Clone(data)
	delete(pinned, api.DataZone)
	digest.Blank(t, digest.Live, digest.Mutable)
	if data != nil {
		t["data"] = pinned
	}
	return sum(t)
}
