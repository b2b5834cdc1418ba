// Package cli holds the tests of kubectl-tsunaro on the whole lab: what a person who
// may only look sees of a gateway from its commit to a healthy one, drifted, blocked,
// and with no minter running. They need the build tag lab, and root.
package cli
