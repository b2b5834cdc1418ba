// Package health takes a gateway and its Tailnet of the real lab through the states
// that the corpus of package health/corpus has recorded, and holds each against the
// verdict that its name begins with. With RECORD_HEALTH=1 it writes the custom
// resources that it meets into the corpus (make record-health).
//
// It needs the build tags lab and long, and root.
package health
