// Package compare holds a finished build against a fresh render of the same
// input: whether the function ran at all, and what other transformers did to its
// output (B03, B49).
package compare
