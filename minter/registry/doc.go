// Package registry reads and writes one gateway's entry in the bindings
// registry, the ConfigMap tsunaro-bindings: which UIDs its objects may carry and
// how far it is (LC-21). It works on the ConfigMap's data as a value; how that
// is read, and swapped without losing somebody else's entry, is its caller's.
package registry
