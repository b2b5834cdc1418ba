// Package tailnet runs the minter's reconciler of Tailnets, with the rights that
// its manifests give it, on a real API server and a real Headscale, and on the
// double where the real one does not fail on demand.
package tailnet
