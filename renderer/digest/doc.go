// Package digest says what of a live object counts when it is compared with the
// rendering, or hashed into a receipt.
package digest
