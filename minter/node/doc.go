// Package node is what Headscale says about nodes and pre-auth keys, as values:
// parsed, and without a connection. Decisions take them as they take objects of
// the cluster.
package node
