// Package cases holds problems that were reported of other software in public,
// one file for each: what went wrong there, and that it does not here. Each covers
// the kind of input, not the one example.
package cases
