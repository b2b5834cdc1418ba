package verdict_test

import (
	"testing"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/model"
)

// TestUnknownStopsABootstrap makes each fact unknown in each world of a bootstrap:
// nothing is written then (LC-06).
//
// REQ: LC-06
func TestUnknownStopsABootstrap(t *testing.T) {
	unknowns := map[string]func(*observe.World){
		"Tailnet":     func(w *observe.World) { w.Tailnet = observe.Unknown[*v1Tailnet](observe.Denied) },
		"Registry":    func(w *observe.World) { w.Registry = observe.Unknown[observe.Registry](observe.Denied) },
		"Hosts":       func(w *observe.World) { w.Hosts = observe.Unknown[observe.Object](observe.Denied) },
		"Render":      func(w *observe.World) { w.Render = observe.Unknown[observe.Render](observe.Denied) },
		"Peers":       func(w *observe.World) { w.Peers = observe.Unknown[[]model.Inputs](observe.Denied) },
		"State":       func(w *observe.World) { w.State = observe.Unknown[observe.State](observe.Denied) },
		"Auth":        func(w *observe.World) { w.Auth = observe.Unknown[observe.Object](observe.Denied) },
		"AuthReceipt": func(w *observe.World) { w.AuthReceipt = observe.Unknown[observe.AuthRecord](observe.Denied) },
		"Fresh":       func(w *observe.World) { w.Fresh = observe.Unknown[observe.Completion](observe.Denied) },
		"FreshNext":   func(w *observe.World) { w.FreshNext = observe.Unknown[observe.Object](observe.Denied) },
		"Nine":        func(w *observe.World) { w.Nine[4] = observe.Unknown[observe.Member](observe.Denied) },
		"Pods":        func(w *observe.World) { w.Pods = observe.Unknown[[]observe.Pod](observe.Denied) },
		"APIKey":      func(w *observe.World) { w.APIKey = observe.Unknown[observe.Accepted](observe.Denied) },
		"Nodes":       func(w *observe.World) { w.Nodes = observe.Unknown[[]node.Node](observe.Denied) },
	}
	stages := []verdict.Action{
		verdict.CreateState, verdict.OpenEntry, verdict.SwapMinting, verdict.Mint, verdict.CreateAuth,
		verdict.CreateAuthReceipt, verdict.CreateFresh, unnamed, expired, closed,
	}
	for _, stage := range stages {
		for name, change := range unknowns {
			w := at(t, stage)
			if verdict.Decide(w).Step.Do == verdict.None {
				t.Fatalf("nothing is due at %s", stage)
			}
			change(&w)
			if v := verdict.Decide(w); v.Step.Do != verdict.None || v.Reason != "EvidenceUnavailable" {
				t.Errorf("%s unknown at %s: %q %s", name, stage, v.Step.Do, v.Reason)
			}
		}
	}
}
