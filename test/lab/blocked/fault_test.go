//go:build lab && linux

package blocked

import (
	"errors"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/api"
)

// fault is a line of the tables: what somebody does, what the minter says about it,
// and how it goes on.
type fault struct {
	name string // of the gateway
	own  bool   // it has a Tailnet of its own, GW-net, which the cause applies
	from stage  // that the gateway has reached

	// cause is what a person does. Where an admission policy refuses that, refused is
	// what its name begins with: the cause is then shown to be refused in the one namespace, and to do
	// harm in the other.
	cause   func(*gateway) error
	refused string

	reason, object, path string // of Ready

	// mend takes the cause back where no command of a message does.
	mend func(*gateway)
	// commands is how many messages have to be obeyed until the gateway is complete.
	commands int
}

// try runs the faults of a table side by side.
func try(t *testing.T, faults []fault) {
	w := world(t)
	for _, f := range faults {
		if f.refused == "" {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				tailnet := "home"
				if f.own {
					tailnet = f.name + "-net"
				}
				f.try(newGateway(t, w, f.name, tailnet, guarded))
			})
			continue
		}
		t.Run(f.name+" refused", func(t *testing.T) {
			t.Parallel()
			f.refuse(newGateway(t, w, f.name+"-g", "home", guarded))
		})
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.try(newGateway(t, w, f.name, "free", free))
		})
	}
}

// refuse shows that admission refuses the cause, and that the gateway goes on as if
// nothing had been tried.
func (f *fault) refuse(g *gateway) {
	g.Helper()
	g.reach(f.from)
	if err := f.cause(g); err == nil || !strings.Contains(err.Error(), "'"+f.refused) {
		g.Errorf("the policy %s does not refuse it: %v", f.refused, err)
	}
	if f.mend != nil && f.commands == 0 {
		f.mend(g)
	}
	g.standIn()
	if obeyed := g.goOn(); len(obeyed) > 0 {
		g.Errorf("it had to be cleared: %q", obeyed)
	}
}

// try does harm, reads what is said about it, and clears it.
func (f *fault) try(g *gateway) {
	g.Helper()
	g.reach(f.from)
	if err := f.cause(g); err != nil {
		g.Fatalf("the cause is refused: %v", err)
	}
	if f.from < bound {
		g.commit()
	}
	s := g.says(api.ConditionReady, f.reason, f.object, f.path)
	g.Logf("%s", s.condition(api.ConditionReady).Message)
	if f.mend != nil {
		f.mend(g)
		g.await("has seen that it was taken back", func(now seen) error {
			if now.condition(api.ConditionReady).Message == s.condition(api.ConditionReady).Message {
				return errors.New("Ready says the same")
			}
			return nil
		})
	}
	if f.from != complete {
		g.standIn()
	}
	obeyed := g.goOn()
	if len(obeyed) != f.commands {
		g.Errorf("%d commands, want %d: %q", len(obeyed), f.commands, obeyed)
	}
	for _, c := range obeyed {
		g.Logf("obeyed: %s", c)
	}
}
