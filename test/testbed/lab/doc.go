// Package lab runs, on one machine and without touching it, what a gateway meets
// in production: a Kubernetes control plane and a node, Headscale, a LAN with a
// host, and a laptop with a Tailscale client. docs/lab.md draws it.
//
// A lab is a sandbox (package sandbox) whose content is the program tsunaro-lab
// (package inside); this package starts, finds and uses it from outside. It
// needs root. Linux only.
package lab
