// Package kustomize runs the pinned kustomize and the function on layers that a
// test writes, as a user does: two programs on PATH and a directory.
package kustomize
