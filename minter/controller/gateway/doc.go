// Package gateway carries out what package verdict decides about gateways: it
// reads everything, takes the one step that is due, reads again, and writes the
// status when no step is left. It is the only place where decisions about
// gateways meet the API server and Headscale.
package gateway
