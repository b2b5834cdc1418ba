// Package observe holds what one pass of the minter has read, as values: the
// custom resources, the records, the nine, Pods and nodes, and what this process
// itself has done. Decisions take a World and nothing else.
//
// It also turns what an API server answers into such values, and compares the
// nine with their rendering. It reads nothing by itself. No private key and no
// credential is part of a World, but for a minted key on its way from Headscale
// into its Secret, which is sealed.
package observe
