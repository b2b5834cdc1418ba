// Package controller wires the minter: a manager with the reconcilers of
// Tailnets and TailnetGateways, probes, metrics, events and leader election.
package controller
