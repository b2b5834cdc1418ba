// Package arch holds the tests of what may import what: the layers of the
// renderer, its purity, and how little tsunaro-fn is made of.
package arch
