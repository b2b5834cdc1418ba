// Package teardown decides how a gateway goes that was deleted with consent: the
// one deletion that is due, or what it waits for, or the step at which it is
// blocked (TD-02, TD-03). What is deleted is what the completion receipt records,
// each object by its UID; without that receipt, what provably is of this attempt
// (TD-04). It also decides how long a Tailnet is held for it (TD-07).
//
// It is used as package verdict is, and takes over where a Verdict says Teardown:
// every step is decided anew from what is there, so that a process that dies
// between two of them leaves nothing that the next one could not tell (TD-06).
// Only the step to the finalizer ends it, and that follows as well as soon as the
// consent is taken back.
package teardown
