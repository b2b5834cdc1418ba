// Package corpus is the corpus of states that a gateway or a Tailnet may be in, with
// the verdict on each (ST-05). Argo CD's Lua, Flux's expressions, the Go library and
// kstatus all judge the same files, so that they cannot come to disagree.
//
// A state is the custom resource as an API server has it, a file of Argo CD's
// testdata. The file states.yaml says about each:
//
//   - file: TailnetGateway/degraded_drift.yaml
//     from: recorded
//     why: what the state is
//     health: Degraded
//     message: what Argo CD and kubectl-tsunaro show
//     kstatus: Current
//     bound: Current
//
// from is recorded (the real minter wrote the status: `make record-health`, in the
// lab), reported (somebody else's software met it: test/cases) or made by hand.
// kstatus is what Flux, kpt and others conclude that know nothing of gateways, and
// bound what Flux concludes in step one. flux, what it concludes in step two, follows
// from health unless it is given.
package corpus
