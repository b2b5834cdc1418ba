// Package netns runs the tests of a package in a network namespace of their own,
// where they may bind any port and own any address, and see no other network.
// It needs root and, from iproute2, ip. Linux only.
package netns
