// Package document reads YAML and JSON into Kubernetes objects whose fields can
// be asked for one by one, with the path and line of each.
//
// It knows no kind. Everything it refuses it reports as a finding with a fixed
// text: the words of a parser never reach the user, since they may quote input.
package document
