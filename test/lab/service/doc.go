// Package service holds the tests of gateways in service on the whole lab: what
// becomes of a change of hosts, routes, images and pool labels, what every condition
// says about it and the gauges tell, how soon a drift is named, and what goes on
// while the minter, the API server, Headscale or other gateways do not.
//
// One minter works in the operator namespace that the admission policies guard, and
// one in a namespace where none applies, so that what they refuse can be seen to do
// harm. They need the build tag lab, and root.
package service
