// Package policies holds the Rego about rendered, changed and live objects, one
// folder a rule, and runs it. The same files serve conftest and opa as they are;
// the metadata of a rule is its identity, rules.yaml the index of all.
//
// The rules say what the requirements say, in their own words, and import
// nothing of the renderer: they are its independent check.
package policies
