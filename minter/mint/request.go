package mint

import (
	"slices"
	"time"
)

// Lifetime of a bootstrap key.
const Lifetime = 24 * time.Hour

// Request is what Headscale is asked for. The registry holds Expiration before
// it is sent (LC-21).
type Request struct {
	Reusable   bool // always true: the kubelet may start the Pod anew before it has registered
	Ephemeral  bool // always false: the node outlives its connection
	Tags       []string
	Expiration time.Time // UTC, whole seconds
}

// New asks for a key with the gateway's tags that expires after Lifetime,
// counted from the second that now lies in.
func New(tags []string, now time.Time) Request {
	return Until(tags, now.UTC().Truncate(time.Second).Add(Lifetime))
}

// Until is the request whose expiry the registry holds.
func Until(tags []string, expiration time.Time) Request {
	return Request{Reusable: true, Tags: slices.Clone(tags), Expiration: expiration}
}
