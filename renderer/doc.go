// Package renderer is the pure library behind the KRM function: documents in,
// nine objects per active gateway out (RN-01). It reads no clock, environment,
// file, network or cluster; the same documents give the same bytes in any order.
package renderer
