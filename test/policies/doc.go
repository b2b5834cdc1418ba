// Package policies holds the Rego rules against everything they are to agree
// with: the golden corpus and mutants of it, the admission corpus, the examples,
// cases from public reports, and the programs opa and conftest.
package policies
