// Package headscale holds what the minter expects of Headscale as tests, which
// run against the real server and against the double that other tests use: what
// is true of the one is true of the other.
package headscale
