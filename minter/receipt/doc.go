// Package receipt holds the two records by which a gateway is known to be the
// one that this minter set up: GW-auth-receipt, which key was made for whom and
// where it was stored (MT-03), and GW-fresh, the completion receipt, what the
// gateway consists of (LC-13).
//
// Both are closed schemas with one spelling: what Decode accepts, Encode writes
// again byte for byte. A record that says anything more, less or otherwise is
// none. They hold no credential, and nothing that is derived from one.
package receipt
