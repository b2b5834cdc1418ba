package registry

import (
	"errors"
	"maps"
	"time"

	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
)

// Phase is how far a gateway is.
type Phase string

// The phases, in their order.
const (
	Open     Phase = api.PhaseOpen     // the nine may be created
	Minting  Phase = api.PhaseMinting  // the nine are verified, and a key may exist
	Complete Phase = api.PhaseComplete // the completion receipt exists
)

// Entry is a gateway's entry.
type Entry struct {
	GatewayUID string // of the TailnetGateway
	StateUID   string // of the state Secret
	Phase      Phase

	// MintExpires is the expiry that the mint asks for, in UTC and whole seconds.
	// Only an entry in phase Minting has one; in the others it is the zero time.
	MintExpires time.Time
}

// ErrEntry means that the registry holds something for the gateway that is no
// entry: a part of one, an unknown phase, a value that is no UID or no time.
// Nobody but the minter writes there, so nothing is guessed from it.
var ErrEntry = errors.New("the gateway's entry in the bindings registry is not one that the minter wrote")

// fields are all keys of an entry.
var fields = []string{api.BindingGatewayUID, api.BindingStateUID, api.BindingPhase, api.BindingMintExpires}

// Read returns a gateway's entry; ok is false where the data hold no key of one.
// The error is ErrEntry.
func Read(data map[string]string, gateway string) (e Entry, ok bool, err error) {
	values := map[string]string{}
	for _, field := range fields {
		if v, has := data[api.BindingKey(gateway, field)]; has {
			values[field] = v
		}
	}
	if len(values) == 0 {
		return Entry{}, false, nil
	}
	e = Entry{
		GatewayUID: values[api.BindingGatewayUID],
		StateUID:   values[api.BindingStateUID],
		Phase:      Phase(values[api.BindingPhase]),
	}
	e.MintExpires, _ = expiry.Parse(values[api.BindingMintExpires])
	if !e.valid() || !maps.Equal(e.values(), values) {
		return Entry{}, false, ErrEntry
	}
	return e, true, nil
}

// valid reports whether the entry is one that Read accepts once it is written.
func (e Entry) valid() bool {
	switch e.Phase {
	case Open, Minting, Complete:
	default:
		return false
	}
	return model.UID(e.GatewayUID) && model.UID(e.StateUID) && e.GatewayUID != e.StateUID &&
		e.MintExpires.IsZero() == (e.Phase != Minting)
}

// values returns what the entry is stored as, by field.
func (e Entry) values() map[string]string {
	v := map[string]string{
		api.BindingGatewayUID: e.GatewayUID,
		api.BindingStateUID:   e.StateUID,
		api.BindingPhase:      string(e.Phase),
	}
	if e.Phase == Minting {
		v[api.BindingMintExpires] = expiry.Format(e.MintExpires)
	}
	return v
}

// With returns a copy of the data in which the entry stands in place of whatever
// was there for the gateway. Other gateways' keys stay as they are.
func With(data map[string]string, gateway string, e Entry) map[string]string {
	out := Without(data, gateway)
	for field, v := range e.values() {
		out[api.BindingKey(gateway, field)] = v
	}
	return out
}

// Without returns a copy of the data that holds no key of an entry of the
// gateway, also where those that are there make no entry.
func Without(data map[string]string, gateway string) map[string]string {
	out := make(map[string]string, len(data)+len(fields))
	maps.Copy(out, data)
	for _, field := range fields {
		delete(out, api.BindingKey(gateway, field))
	}
	return out
}
