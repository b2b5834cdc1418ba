package report_test

import (
	"fmt"
	"testing"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/report"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
)

// A life in states, each with the events that it begins with: one for each thing
// that has happened, and a warning for what somebody has to look at.
//
// REQ: ST-03
func TestEvents(t *testing.T) {
	open := bootstrapping(registry.Open)
	blocked := func(i int) func(*observe.World) {
		return all(open, member(i, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.WrongUID, "metadata.labels[x]" }))
	}
	life := []struct {
		why    string
		change func(*observe.World)
		want   string
	}{
		{"suspended", suspend, "Normal Suspended"},
		{"the first of the nine is awaited", all(open, gone(nineth(0))), "Normal Provisioning"},
		{"the next one is", all(open, gone(nineth(1))), ""},
		{"one is wrong", blocked(4), "Warning FreshBlocked"},
		{"another is", blocked(5), "Warning FreshBlocked"},
		{"still", blocked(5), ""},
		{"awaited again", all(open, gone(nineth(2))), "Normal Provisioning"},
		{"complete, and not ready", pod(func(p *observe.Pod) { p.Ready = false }), "Normal RuntimeNotReady"},
		{"ready", nothing, "Normal FreshRuntimeReady"},
		{"still", nothing, ""},
		{"its hosts source is gone", gone(theHosts), "Warning HostsMissing"},
		{"it is refused", rendered(nil, []string{"192.168.10.7 app", "192.168.10.07 app"}), "Warning HostsRefused"},
		{"it is back", nothing, "Normal DNSNotCompared"},
		{"the engine is behind", behind, ""},
		{"it has synced", nothing, ""},
		{"Headscale does not answer", unknown(theNodes), "Normal EvidenceUnavailable"},
		{"it does", nothing, "Normal FreshRuntimeReady"},
		{"one of the nine is gone, and InSync says the same", gone(nineth(7)), "Warning FreshBlocked"},
		{"suspended", suspend, "Normal Suspended"},
		{"resumed", gone(nineth(7)), "Warning FreshBlocked"},
	}
	var before *observe.World
	for _, s := range life {
		w := world(t)
		s.change(&w)
		if before != nil {
			was, _ := before.Gateway.Get()
			g, _ := w.Gateway.Get()
			g = g.DeepCopy()
			g.Status = was.Status
			w.Gateway = observe.Known(g)
		}
		next, events := report.Status(w, verdict.Decide(w))
		text := ""
		for _, e := range events {
			text += fmt.Sprintln(e.Type, e.Reason)
			if e.Message == "" {
				t.Errorf("%s: %s says nothing", s.why, e.Reason)
			}
		}
		if want := map[bool]string{true: s.want + "\n"}[s.want != ""]; text != want {
			t.Errorf("%s: got %q, want %q", s.why, text, s.want)
		}
		if next != nil {
			w.Gateway = observe.Known(next)
		}
		before = &w
	}
}
