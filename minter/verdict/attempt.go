package verdict

import (
	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
)

// Outcome is what is known about a write.
type Outcome uint8

// The outcomes.
const (
	Lost    Outcome = iota // no answer that tells: the write may have happened, or still happen
	Done                   // it happened, and this is the answer to it
	NotDone                // it has certainly not happened: refused, in conflict, or never sent
)

// Result is what carrying out a step came to. Where Outcome is not Done the rest
// is empty.
type Result struct {
	Outcome Outcome
	UID     string       // CreateState: of the object, as answered
	Stored  mint.Stored  // CreateAuth: the object, as answered
	Key     node.Key     // Mint
	Bytes   sealed.Bytes // Mint
}

// After is the attempt with the outcome of a step that was decided on it. Only
// an answer is remembered: what a lost one may have done, the next read tells or
// nobody does.
func After(a observe.Attempt, gatewayUID string, s Step, r Result) observe.Attempt {
	if a.GatewayUID != gatewayUID {
		a = observe.Attempt{GatewayUID: gatewayUID}
	}
	switch s.Do {
	case RemoveForeignEntry, CloseEntry, DeleteObject, DeleteState:
		// An attempt that is undone is over for good, whatever became of the write.
		return observe.Attempt{GatewayUID: gatewayUID}
	case CreateState:
		a = observe.Attempt{GatewayUID: gatewayUID, StateUID: r.UID}
	case SwapMinting:
		a.Minting = nil
		if begins := s.begins; r.Outcome == Done {
			a.Minting = &begins
		}
	case Mint:
		a.Minting = minted(a.Minting, s.Request, r)
	case CreateAuth:
		a.Minting = stored(a.Minting, s.Object.Name, r)
	case SwapComplete:
		return observe.Attempt{GatewayUID: gatewayUID, Spent: a.Spent} // the key's bytes are needed no more
	case ExpireKey:
		if r.Outcome == Done {
			a.Spent = s.Key
		}
	}
	return a
}

// minted keeps an answer only if it is what was asked for (MT-01). Whatever else
// came back, a key may exist now, and no other is made on top (MT-04).
func minted(m *observe.Minting, request mint.Request, r Result) *observe.Minting {
	if m == nil || r.Outcome == NotDone {
		return m
	}
	next := *m
	next.Asked = true
	if r.Outcome == Done {
		if key, err := mint.Check(request, r.Key, r.Bytes); err == nil {
			next.Minted = &key
		}
	}
	return &next
}

// stored keeps the answer to the Create of GW-auth only if the Secret holds what
// was minted (MT-02).
func stored(m *observe.Minting, name string, r Result) *observe.Minting {
	if m == nil || m.Minted == nil || r.Outcome != Done {
		return m
	}
	next := *m
	if secret, err := m.Minted.Confirm(name, r.Stored); err == nil {
		next.Auth = &secret
	}
	return &next
}
