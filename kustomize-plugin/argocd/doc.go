// Package argocd holds the config-management plugin for Argo CD: what it runs, and the
// sidecar of argocd-repo-server that it runs in, as a kustomize component. It stands
// beside the function because it is one more way to call it; examples/argocd/README.md
// explains it. There is no Go here but tests.
package argocd
