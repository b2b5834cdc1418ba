// Package argocd lets Argo CD's own program run the scripts and settings of
// health/argocd on the corpus of states and on a rendering. It needs the build tag
// lab, for the time that Argo CD takes to build.
package argocd
