package proof

import (
	"slices"
	"strings"
)

// Secret is what matters of GW-state without the content of its data keys.
type Secret struct {
	Keys      []string // of its data
	Immutable bool
	Deleting  bool
}

// Content says what is in GW-state.
type Content uint8

// The contents.
const (
	Foreign Content = iota // nothing that the minter or Tailscale leaves there
	Empty                  // as the minter creates it: no data key, and Tailscale can write (B26)
	Filled                 // Tailscale has written to it, if not yet everything
)

// ContentOf tells an empty state Secret from one that Tailscale has used and from
// one that somebody else has touched. Whose a Secret is, its UID tells.
func ContentOf(s Secret) Content {
	switch {
	case s.Immutable || s.Deleting:
		return Foreign
	case len(s.Keys) == 0:
		return Empty
	case slices.ContainsFunc(s.Keys, tailscales):
		return Filled
	}
	return Foreign
}

// tailscales reports whether a data key is one that Tailscale's state store or
// containerboot writes.
func tailscales(key string) bool {
	return strings.HasPrefix(key, "_") || strings.HasPrefix(key, "profile-") ||
		slices.Contains([]string{dataDevice, "device_fqdn", "device_ips", "pod_uid", "tailscale_capver"}, key)
}
