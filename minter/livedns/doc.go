// Package livedns decides about the live zone of a gateway: from GW-coredns as it
// is, the completion receipt and the present rendering, whether it is in sync, is
// to be swapped, or is left alone (DL-01 to DL-09). What is served follows the
// sources, and its serial goes one further with each change of the data and never
// back.
//
// It writes by swapping the whole object that was read, at exactly its revision:
//
//	v := livedns.Decide(w)
//	swap v.Swap; w = read everything; w.Conflicts = livedns.After(w.Conflicts, outcome)
//
// Whatever else others have changed of the object is carried along, and whatever
// they change meanwhile makes the swap a conflict. The object is never created,
// replaced or adopted.
package livedns
