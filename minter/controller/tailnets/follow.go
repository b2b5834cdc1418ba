package tailnets

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Interest says which nodes a gateway looks at: those that have one of these. An
// empty field matches none.
type Interest struct {
	Hostname            string
	MachineKey, NodeKey string
	KeyID               node.ID // of the pre-auth key that was minted for it
}

// following is one gateway that is told of changes. Of the List that it has seen only
// its own nodes are kept: a thousand gateways have seen hundreds of Lists.
type following struct {
	tailnet string
	i       Interest
	asked   time.Time // as in a List
	answer  answer
	nodes   []node.Node
}

// answer is what is known at all, by a List.
type answer struct{ nodes, noKey bool }

func (l List) answer() answer { return answer{l.Nodes.Known(), l.APIKey.Absent()} }

// Follow wakes the gateway through Changed once what interests it is no longer as
// it was seen: seen is the List that its pass has decided on, or the zero List
// where it asked for none, which waits for a change from the next poll on. It
// replaces what the gateway followed before. A gateway that has been woken follows
// anew at the end of its pass.
func (n *Nodes) Follow(gateway, tailnet string, i Interest, seen List) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.follows[gateway] = following{tailnet, i, seen.Asked, seen.answer(), i.among(seen.index)}
}

// Unfollow ends it: the gateway is gone, or suspended.
func (n *Nodes) Unfollow(gateway string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.follows, gateway)
}

// Changed sends a TailnetGateway with nothing but its name for each gateway that
// is to look again.
func (n *Nodes) Changed() <-chan event.GenericEvent { return n.gateways }

// Start polls until the context ends. A Tailnet whose poll is still under way is
// left out.
func (n *Nodes) Start(ctx context.Context) error {
	var polls sync.WaitGroup
	defer polls.Wait()
	tick := time.NewTicker(n.every)
	defer tick.Stop()
	busy := map[string]chan token{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for _, name := range n.followed() {
			if done := busy[name]; done != nil {
				select {
				case <-done:
				default:
					continue
				}
			}
			done := make(chan token)
			busy[name] = done
			polls.Go(func() {
				defer close(done)
				n.poll(ctx, name)
			})
		}
	}
}

// followed are the Tailnets that a gateway follows.
func (n *Nodes) followed() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var names []string
	for _, f := range n.follows {
		names = append(names, f.tailnet)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// poll asks with the client that is there, without a look at the API server, and
// wakes whom the answer concerns. Without a client there is nothing to ask, of which
// the Tailnet's reconciler knows: whoever follows had one, and no longer has.
func (n *Nodes) poll(ctx context.Context, tailnet string) {
	now := List{Asked: time.Now(), APIKey: observe.Absent[observe.Accepted]()}
	if c, ok := n.clients.kept(tailnet); ok {
		if now = n.ask(ctx, tailnet, c); now.Asked.IsZero() {
			return // the context has ended
		}
		if n.turned(tailnet, now) {
			n.send(ctx, n.tailnets, event.GenericEvent{Object: &v1alpha1.Tailnet{ObjectMeta: metav1.ObjectMeta{Name: tailnet}}})
		}
	}
	for _, gateway := range n.concerned(tailnet, now) {
		n.send(ctx, n.gateways, event.GenericEvent{Object: &v1alpha1.TailnetGateway{ObjectMeta: metav1.ObjectMeta{Name: gateway}}})
	}
}

// turned reports whether the Tailnet's state is another than at the last poll, so
// that its own reconciler must look at the key.
func (n *Nodes) turned(tailnet string, now List) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := n.polled[tailnet]
	n.polled[tailnet] = now.answer()
	return before != now.answer()
}

func (n *Nodes) send(ctx context.Context, to chan<- event.GenericEvent, e event.GenericEvent) {
	select {
	case to <- e:
	case <-ctx.Done():
	}
}

// concerned returns the gateways for which the list differs from what they have
// seen, and takes it as seen by them: one change wakes once.
func (n *Nodes) concerned(tailnet string, now List) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var names []string
	for gateway, f := range n.follows {
		if f.tailnet != tailnet || !now.Asked.After(f.asked) {
			continue
		}
		first, nodes := f.asked.IsZero(), f.i.among(now.index)
		if !first && f.answer == now.answer() && reflect.DeepEqual(f.nodes, nodes) {
			continue
		}
		f.asked, f.answer, f.nodes = now.Asked, now.answer(), nodes
		n.follows[gateway] = f
		if !first {
			names = append(names, gateway)
		}
	}
	slices.Sort(names)
	return names
}

// index finds the nodes of a list by their names, public keys and the key that they
// registered with. No two kinds of these are spelled alike.
type index map[string][]*node.Node

// Prefixes of the keys of an index whose spelling would not tell them.
const (
	byName = "name/"
	byKey  = "key/"
)

func indexOf(all []node.Node) index {
	found := make(index, 4*len(all))
	for i := range all {
		n := &all[i]
		for _, key := range (Interest{n.Name, n.MachineKey, n.NodeKey, n.KeyID}).keys() {
			found[key] = append(found[key], n)
		}
		if n.GivenName != n.Name && n.GivenName != "" {
			found[byName+n.GivenName] = append(found[byName+n.GivenName], n)
		}
	}
	return found
}

// keys are those of an index that an interest asks for.
func (i Interest) keys() []string {
	var keys []string
	if i.Hostname != "" {
		keys = append(keys, byName+i.Hostname)
	}
	if i.MachineKey != "" {
		keys = append(keys, i.MachineKey)
	}
	if i.NodeKey != "" {
		keys = append(keys, i.NodeKey)
	}
	if i.KeyID != "" {
		keys = append(keys, byKey+string(i.KeyID))
	}
	return keys
}

// among are the nodes that interest, once each, in order of their ID.
func (i Interest) among(all index) []node.Node {
	var found []*node.Node
	for _, key := range i.keys() {
		found = append(found, all[key]...)
	}
	slices.SortFunc(found, func(a, b *node.Node) int { return cmp.Compare(a.ID, b.ID) })
	var some []node.Node
	for _, n := range slices.Compact(found) {
		some = append(some, *n)
	}
	return some
}
