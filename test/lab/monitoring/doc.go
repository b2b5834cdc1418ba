// Package monitoring runs the alerts of minter/monitoring through promtool: when
// each fires, when it does not yet, and that it does not for what is not there. Its
// tests have the build tag lab, for promtool takes minutes to build.
package monitoring
