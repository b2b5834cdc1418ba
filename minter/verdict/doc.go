// Package verdict decides what happens next to a gateway: from what one pass has
// read, the one write that is due, or none, and what Ready says about it. It is
// the bootstrap, the safe restart and the observation of a gateway, as a function
// of values (LC-08, LC-22, LC-15).
//
// Whoever carries a Step out reads everything again afterwards and decides anew,
// until there is no step. Nothing is planned ahead, so a process that dies
// between two steps leaves nothing that the next one could not tell:
//
//	v := verdict.Decide(w)
//	result := carry out v.Step
//	w = read everything; w.Attempt = verdict.After(w.Attempt, v.Step, result)
//
// After a Lost result the pass ends, and begins anew a little later.
package verdict
