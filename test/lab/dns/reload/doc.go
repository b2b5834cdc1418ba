// Package reload changes what the real CoreDNS serves while it is being asked:
// the slow part of DN-12, in a namespace of its own so that it runs beside the
// rest. It needs root: make test-lab.
package reload
