package teardown

import (
	"slices"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/rules"
)

// World is everything that a teardown rests on, read in one pass and uncached
// (LC-06): what any decision about a gateway does, without its peers, and more.
// Of the facts of the embedded World KeyExpires is about the key that Key names.
type World struct {
	observe.World

	// Stage is GW-fresh-next with its content. It stands in for GW-fresh while that
	// is made anew (LC-17).
	Stage observe.Fact[observe.Completion]

	// Client says whether a client of the Tailnet's Headscale can be had at all:
	// absent without a working key or a usable CA bundle. A Headscale that is down,
	// or refuses the key, does not make it absent (TD-05).
	Client observe.Fact[struct{}]

	// Children are the live objects of Names, in its order.
	Children []observe.Fact[Child]

	// Gone is what Headscale's two witnesses say about the node of Witness: true if
	// a look at it and the complete list both lack it (B25).
	Gone observe.Fact[bool]
}

// Child is one of the nine as it was read under the name that the receipt records.
type Child struct {
	UID      string
	Deleting bool
}

// Names are the objects to be read into Children: those of the receipt, in the
// order in which they go. A changed spec may name others by now. Without a receipt
// there are none, and Nine is looked at.
func Names(w World) []rules.Object {
	p, ok := newPass(w)
	if !ok || !p.whole {
		return nil
	}
	names := make([]rules.Object, 0, len(p.inventory.Objects))
	for _, o := range p.recorded() {
		names = append(names, p.object(o.Kind, o.Name))
	}
	return names
}

// recorded are the nine of the receipt, the StatefulSet first.
func (p *pass) recorded() []receipt.Object {
	objects := slices.Clone(p.inventory.Objects)
	slices.SortStableFunc(objects, func(a, b receipt.Object) int { return workloadFirst(a.Kind) - workloadFirst(b.Kind) })
	return objects
}

func workloadFirst(kind string) int {
	if kind == "StatefulSet" {
		return 0
	}
	return 1
}

// Key is the minted key that is to be expired, by the ID that a receipt records;
// ok is false where none does.
func Key(w World) (id node.ID, ok bool) {
	p, ok := newPass(w)
	if !ok {
		return "", false
	}
	k, recorded := p.mintedKey()
	return k.id, recorded
}

// Witness is the node that Gone is to be about, by the last ID that is known of
// the gateway's: from its state, or else from its status. ok is false where there
// is none, and nothing need be asked.
func Witness(w World) (id node.ID, ok bool) {
	p, ok := newPass(w)
	if !ok {
		return "", false
	}
	return p.lastID()
}
