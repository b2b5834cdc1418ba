// Package cluster reads, as the user of a kubeconfig, what package view shows. It
// has no verb but get and list, and of a Secret it asks for the metadata alone. What
// may not be read, or does not answer, is a fact like others: it stops nothing.
package cluster
