// Package plugin runs the function where it is not a program on somebody's PATH: as a
// container image, by the real kustomize on a real container runtime, and in the real
// Argo CD as its config-management plugin, in a sidecar. It needs root: make test-lab.
package plugin
