// Package gateway runs the home lab's gateway as a real Pod and looks at it from
// every side: the API server, the container runtime, Headscale, the LAN and a
// laptop. It needs root: make test-lab.
package gateway
