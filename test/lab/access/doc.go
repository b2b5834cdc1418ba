// Package access asks a real API server what the minter and a gateway's Pod may do,
// with the minter installed as docs/minter.md says. Its tests have the build tag lab.
package access
