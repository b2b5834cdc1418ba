// Package health runs the one corpus of states through everything that judges them:
// the Go library, Argo CD's scripts, Flux's expressions and kstatus (ST-05). Argo CD
// itself runs its scripts in test/lab/argocd.
package health
