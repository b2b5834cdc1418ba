// Package argocd takes the gateway of examples/argocd through its life with the real
// Argo CD: what its Application and its resource tree show, what it writes, and what
// it leaves alone.
//
// It needs the build tag lab, and root.
package argocd
