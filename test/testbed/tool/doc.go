// Package tool builds the programs that tests, benchmarks, the lab and the demo
// run: the tools pinned under test/tools, and this module's own, tsunaro-fn first.
//
// A program is built once for everything that decides its bytes (sources,
// go.mod, go.sum, Go version, target, flags; of C libraries only the name) and
// kept outside the tree, in the user's cache directory or in $TSUNARO_CACHE. Test
// packages running at the same time wait for one build instead of starting their
// own. A build ends with the process that asked for it. Linux and macOS only.
package tool
