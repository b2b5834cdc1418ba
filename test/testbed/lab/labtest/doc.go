// Package labtest is what tests on a running lab have in common: clients and
// kubectl as somebody, waiting for a condition, the examples as the real kustomize
// builds them, Pods, DNS and HTTP from a place in the lab, and Headscale's REST
// API.
//
// Whatever fails, fails the test. Linux only.
package labtest
