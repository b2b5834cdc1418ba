// Package deploy holds the minter's manifests; `kubectl apply -k minter/deploy`
// installs them, and docs/minter.md explains them. In Go it says what the minter
// may do, and why: the roles, the page and what API servers answer are held to
// that table by tests here and in test/lab/access.
package deploy
