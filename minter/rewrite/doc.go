// Package rewrite decides how the digests of a completion receipt come under the
// present rule (LC-17). A receipt is immutable, so that GW-fresh is deleted and made
// anew, and until then waits in GW-fresh-next: whoever finds it alone, after a
// crash, promotes it. There is one decision for both, from what is there.
//
// It comes before package verdict, which decides wherever this one is not
// concerned.
package rewrite
