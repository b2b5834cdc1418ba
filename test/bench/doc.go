// Package bench holds the work that the benchmarks measure and the peers that it
// is measured against. The same cases run under go test -bench and in the report
// that writes docs/performance.md (make bench): a speed is measured there, and
// never asserted by a test.
package bench
