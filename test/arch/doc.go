// Package arch holds the tests of what may import what: the layers of the
// renderer and the minter, the purity of what they decide, and how little
// tsunaro-fn is made of.
package arch
