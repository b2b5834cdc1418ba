// Package flux deploys examples/flux on the whole lab by the real Flux, and holds both
// Kustomizations of a gateway against what docs/health.md says that they show in each
// state, the nine against what Flux may write, and a retained gateway against what Flux
// may delete. Its tests on the lab need the build tag lab, and root.
package flux
