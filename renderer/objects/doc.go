// Package objects writes down the nine Kubernetes resources of a gateway, with
// every default of the supported API servers spelled out, so that no engine ever
// sees a difference that nobody made (RN-02, RN-06).
//
// Its Kubernetes types hold just the fields that a gateway may have: what is not
// in them, such as a host network or a privileged container, cannot be rendered.
// They also spare the KRM function the start-up of the full API types; tests
// decode every rendered object strictly into those.
package objects
