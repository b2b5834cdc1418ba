package verdict_test

import (
	"fmt"
	"testing"

	"tsunaro.io/gateway/minter/verdict"
)

// ends are the only ways in which a bootstrap with faults may end: ready, or
// blocked on a record whose origin nobody can prove.
var ends = map[string]bool{
	"FreshRuntimeReady": true,
	"FreshBlocked Secret/tsunaro-system/lab-gw-auth": true,
}

// TestTwoFaults lets every two writes of a run go wrong, those of a restart among
// them. Runs come to rest, and run sees to it that there is one usable key at most.
//
// REQ: LC-10, LC-12, LC-22, MT-04 (B45)
func TestTwoFaults(t *testing.T) {
	runs := 0
	for first := range 12 {
		for f := lostAfter; f < faults; f++ {
			for second := first + 1; second < 26; second++ {
				for g := lostAfter; g < faults; g++ {
					runs++
					p := &process{c: newCluster(t), fault: func(i int, _ verdict.Step) fault {
						switch i {
						case first:
							return f
						case second:
							return g
						}
						return fine
					}}
					if end := outcome(p.run(later)); !ends[end] {
						t.Fatalf("%d:%d %d:%d ends with %s: %v", first, f, second, g, end, p.steps)
					}
					if len(p.steps) <= second {
						break // the run never came that far
					}
				}
			}
		}
	}
	if runs < 1000 {
		t.Errorf("%d runs", runs)
	}
}

// An attempt that was undone leaves nothing behind, and every name of it can be
// used again.
//
// REQ: LC-22
func TestSafeRestart(t *testing.T) {
	p := &process{c: newCluster(t), fault: func(i int, s verdict.Step) fault {
		if i == 3 { // the mint
			return crashAfter
		}
		return fine
	}}
	v := p.run(later)
	want := "[CreateState OpenEntry SwapMinting Mint CloseEntry"
	for range 9 {
		want += " DeleteObject"
	}
	want += " DeleteState CreateState OpenEntry SwapMinting Mint CreateAuth CreateAuthReceipt CreateFresh SwapComplete ExpireKey]"
	if got := fmt.Sprint(p.steps); got != want || v.Reason != "FreshRuntimeReady" || len(p.c.keys) != 2 {
		t.Errorf("%s, %d keys\n got %s\nwant %s", v.Reason, len(p.c.keys), got, want)
	}
}

// Between the StatefulSet and everything else the restart waits for the Pod: it
// uses state and key by their names (architecture, "Two steps").
//
// REQ: LC-22 (B46)
func TestRestartWaitsForThePod(t *testing.T) {
	p := &process{c: newCluster(t), fault: func(i int, s verdict.Step) fault {
		if i == 3 {
			return crashAfter
		}
		return fine
	}}
	for range 500 {
		v := p.step()
		if v.Step.Do == verdict.DeleteState || v.Step.Do == verdict.DeleteObject && v.Step.Object.Kind != "StatefulSet" {
			if p.c.pod != nil {
				t.Fatalf("%s while the Pod is there", v.Step.Do)
			}
		}
		if v.Reason == "FreshRuntimeReady" {
			return
		}
		if v.Step.Do == verdict.None && !p.c.tick() {
			p.c.now = v.Again
		}
	}
	t.Fatalf("not ready: %v", p.steps)
}
