// Package verify compares the nine resources of a gateway as they are in the
// cluster with what is rendered for it, and with what a completion receipt says
// about them. There is no second opinion on what they should be: the renderer
// renders them anew, bound to the real UIDs.
//
// Live objects are judged as the typed structs that this program was compiled
// with: fields of a newer API server are not seen. Status, metadata that only a
// server writes and metadata of others do not count.
package verify
