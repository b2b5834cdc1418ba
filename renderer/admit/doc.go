// Package admit turns documents into models: it knows every field of the API,
// its default and its rule, and refuses whatever it does not know.
//
// It repeats in Go what the CRDs say in CEL, since the KRM function cannot
// afford an API server's start-up; test/agreement runs one corpus through both.
package admit
