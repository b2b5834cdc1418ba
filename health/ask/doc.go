// Package ask asks a gateway's DNS what its zone data say that it answers, and tells
// where it answers otherwise. It only asks.
package ask
