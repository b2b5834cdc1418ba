// Package process runs the real servers that tests talk to: each writes its log
// to a file, and ends when the test ends, however that ends. Linux only.
package process
