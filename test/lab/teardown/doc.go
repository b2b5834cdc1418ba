// Package teardown holds the tests of a gateway's consented deletion: the real minter
// takes it down step by step, is killed at each of them, meets objects that are
// somebody else's, another one or gone, and a Headscale that fails in every way; or
// the consent is taken back. They need the build tag lab, and root.
//
// The minter is the program that is shipped, with the rights that are shipped; it
// runs beside the lab and reaches the API server and Headscale through package tap.
// Both are real, and so are the controllers. No node takes the Pods, but for the one
// gateway that serves on when it is retained: a stand-in for the kubelet reports that
// they wait for their key, and Tailscale, run once beside them, makes with that key
// the node and the state that a Pod would have made.
package teardown
