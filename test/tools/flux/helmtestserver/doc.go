// Package helmtestserver stands in for a module that only tests of source-controller
// need.
package helmtestserver
