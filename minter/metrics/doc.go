// Package metrics holds what the minter tells Prometheus about Tailnets, gateways
// and Headscale: names and numbers that are public.
package metrics
