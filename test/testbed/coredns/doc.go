// Package coredns runs the real CoreDNS on what the renderer wrote: the command
// line, directory, user and capabilities of the rendered StatefulSet, and the
// rendered ConfigMap projected as the kubelet projects it. No byte of either is
// edited. It listens on port 53, so the tests belong in package netns. Linux
// only.
package coredns
