// Package command is the command line of kubectl-tsunaro. It reads, and never
// writes to a file or a cluster.
package command
