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
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Interest says which nodes a gateway looks at: those that have one of these. An
// empty field matches none.
type Interest struct {
	Hostname            string
	MachineKey, NodeKey string
	KeyID               node.ID // of the pre-auth key that was minted for it
}

// following is one gateway that is told of changes.
type following struct {
	tailnet string
	i       Interest
	seen    List
}

// Follow wakes the gateway through Changed once what interests it is no longer as
// it was seen: seen is the List that its pass has decided on, or the zero List
// where it asked for none, which waits for a change from the next poll on. It
// replaces what the gateway followed before. A gateway that has been woken follows
// anew at the end of its pass.
func (n *Nodes) Follow(gateway, tailnet string, i Interest, seen List) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.follows[gateway] = following{tailnet, i, seen}
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
// wakes whom the answer concerns. Without a client there is nothing to ask: the
// Tailnet's reconciler is at work on it.
func (n *Nodes) poll(ctx context.Context, tailnet string) {
	c, ok := n.clients.kept(tailnet)
	if !ok {
		return
	}
	now := n.ask(ctx, tailnet, c)
	if now.Asked.IsZero() {
		return // the context has ended
	}
	if n.turned(tailnet, now) {
		n.send(ctx, n.tailnets, event.GenericEvent{Object: &v1alpha1.Tailnet{ObjectMeta: metav1.ObjectMeta{Name: tailnet}}})
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
	n.polled[tailnet] = now
	return !sameAnswer(before, now)
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
		if f.tailnet != tailnet || !now.Asked.After(f.seen.Asked) {
			continue
		}
		first := f.seen.Asked.IsZero()
		if !first && sameAnswer(f.seen, now) && reflect.DeepEqual(f.i.nodes(f.seen), f.i.nodes(now)) {
			continue
		}
		f.seen = now
		n.follows[gateway] = f
		if !first {
			names = append(names, gateway)
		}
	}
	slices.Sort(names)
	return names
}

// sameAnswer reports whether two lists are alike in what is known at all.
func sameAnswer(a, b List) bool {
	return a.Nodes.Known() == b.Nodes.Known() && a.APIKey.Absent() == b.APIKey.Absent()
}

// nodes are those of a list that interest, in order of their ID.
func (i Interest) nodes(l List) []node.Node {
	all, _ := l.Nodes.Get()
	var some []node.Node
	for _, n := range all {
		if i.matches(n) {
			some = append(some, n)
		}
	}
	slices.SortFunc(some, func(a, b node.Node) int { return cmp.Compare(a.ID, b.ID) })
	return some
}

func (i Interest) matches(n node.Node) bool {
	return i.Hostname != "" && (n.Name == i.Hostname || n.GivenName == i.Hostname) ||
		i.MachineKey != "" && n.MachineKey == i.MachineKey ||
		i.NodeKey != "" && n.NodeKey == i.NodeKey ||
		i.KeyID != "" && n.KeyID == i.KeyID
}
