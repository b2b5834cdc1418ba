// Package minter holds the tests of the real minter on the whole lab: from a
// commit to a gateway that is proven Ready, and what keeps it so. They need the
// build tag lab, and root.
package minter
