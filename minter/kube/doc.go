// Package kube is the minter's hand on the API server. It has one verb for
// everything that may be done there: Read, uncached; Create, which fails where
// something is; Swap, of exactly the revision that was read; Delete, of exactly
// the UID that was decided about; Status of the custom resources, and Finalize.
// There is no update without a revision, and no delete without a UID.
//
// Errors of the server are classified and dropped: they quote objects (ST-03).
package kube
