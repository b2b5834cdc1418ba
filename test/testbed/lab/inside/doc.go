// Package inside is the lab as its sandbox runs it: networks, components in the
// order that they need each other, and a socket on which it is asked about them.
//
// Linux only.
package inside
