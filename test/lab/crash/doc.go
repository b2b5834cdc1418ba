// Package crash holds the tests that end the real minter at every write that a
// gateway's bootstrap consists of, let two of them race for a hundred gateways, and
// look for its keys wherever they must not be. They need the build tag lab, and root.
//
// The minter is the program that is shipped, with the rights that are shipped; it
// runs beside the lab and reaches the API server and Headscale through package tap.
// kubectl is the GitOps engine. API server, controllers, kubelet, Pods and Headscale
// are real, but for the race: its Pods are nobody's, and a loop says of them what a
// kubelet says of a Pod that waits for its key.
package crash
