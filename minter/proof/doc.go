// Package proof tells whose node a gateway's state is: it derives the public
// keys from what Tailscale keeps in GW-state, and finds the one node of Headscale
// that has them (MT-05, B23).
//
// Private keys are read here and nowhere else. What leaves the package is public.
package proof
