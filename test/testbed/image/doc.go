// Package image writes container images without a registry or a daemon: OCI
// archives that containerd imports under the very names that rendered Pods use,
// so that a node without a network runs those Pods unchanged.
//
// The images stand in for the published ones. They hold the same programs of the
// same versions at the same paths, built here from source, and what a Pod of a
// gateway calls beside them; they do not hold the rest of a distribution. What the
// published ones have and these lack: iptables and ip in Tailscale's, time zones
// and CA certificates in CoreDNS'.
//
// One spec and one reference give the same bytes everywhere.
package image
