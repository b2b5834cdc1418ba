// Package tool builds the programs that tests, benchmarks and the demo run: the
// tools pinned under test/tools, and this product's own tsunaro-fn.
//
// A program is built once for everything that decides its bytes (sources,
// go.mod, go.sum, Go version, target, flags) and kept outside the tree, in the
// user's cache directory or in $TSUNARO_CACHE. Test packages running at the same
// time wait for one build instead of starting their own. Linux and macOS only.
package tool
