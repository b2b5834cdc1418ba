// Package image gives the lab's images to a real containerd, with no network, and
// looks at what it makes of them. It needs root: make test-lab.
package image
