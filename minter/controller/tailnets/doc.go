// Package tailnets keeps every Tailnet of the operator namespace in working order:
// it is the reconciler that reads for package tailnet, carries out what that
// decides and writes the status; and it is the way to Headscale for whoever else
// needs one: Clients with the working key, and Nodes, the one list per Tailnet
// that all gateways share.
package tailnets
