// Package loopback gives servers of tests addresses of their own, so that
// nobody has to look for free ports. Where only 127.0.0.1 is on the loopback
// interface, as on macOS, the others cannot be bound.
package loopback
