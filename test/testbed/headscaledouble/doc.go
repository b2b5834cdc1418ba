// Package headscaledouble is a Headscale in memory, for tests that need answers
// which a real one does not give on demand: faults, a proxy in between, the next
// version, a clock of the test's own.
//
// It speaks the part of the REST API that the minter uses, over TLS, as 0.29.3
// was seen to speak it; test/headscale runs the same expectations against it and
// against the real server. What is known of 0.30, which is not released, is in
// Options.Next.
package headscaledouble
