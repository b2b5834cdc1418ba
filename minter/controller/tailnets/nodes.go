package tailnets

import (
	"context"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/event"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// List is what Headscale says about all nodes of a Tailnet.
type List struct {
	Asked  time.Time                       // the request was sent after it; zero where none was
	Nodes  observe.Fact[[]node.Node]       // complete
	APIKey observe.Fact[observe.Accepted]  // absent: there is no working key, or Headscale refuses it
	Client observe.Fact[*headscale.Client] // that asked: for whatever else the same pass asks or does

	index index // of the nodes
}

// Nodes lists the nodes of every Tailnet, once for all who ask at the same time,
// and polls for gateways that follow. It may be used concurrently.
type Nodes struct {
	clients *Clients
	every   time.Duration // between polls
	gather  time.Duration // how long a request waits for others to share it

	gateways chan event.GenericEvent
	tailnets chan event.GenericEvent

	mu        sync.Mutex
	gathering map[string]*flight    // by Tailnet: not sent yet
	lanes     map[string]chan token // by Tailnet: holds the token of the one request
	latest    map[string]List       // by Tailnet
	polled    map[string]answer     // by Tailnet: to the last poll
	follows   map[string]following  // by gateway
}

type token struct{}

// NewNodes makes a Nodes that polls every so often once it is started.
func NewNodes(clients *Clients, every time.Duration) *Nodes {
	const gather = 20 * time.Millisecond
	return &Nodes{
		clients: clients, every: every, gather: gather,
		gateways:  make(chan event.GenericEvent),
		tailnets:  make(chan event.GenericEvent),
		gathering: map[string]*flight{}, lanes: map[string]chan token{},
		latest: map[string]List{}, polled: map[string]answer{}, follows: map[string]following{},
	}
}

// List asks Headscale. The request is sent after the call and never before it:
// what woke the caller is in the answer. Calls that come before it is sent share
// it.
func (n *Nodes) List(ctx context.Context, t *v1alpha1.Tailnet) List {
	client := n.clients.For(ctx, t)
	c, ok := client.Get()
	if !ok {
		l := List{Client: client, APIKey: observe.Absent[observe.Accepted]()}
		if client.Unknown() {
			l.APIKey, l.Nodes = observe.Unknown[observe.Accepted](client.Class()), observe.Unknown[[]node.Node](client.Class())
		}
		return l
	}
	return n.ask(ctx, t.Name, c)
}

// Latest is the last answer for a Tailnet. Nothing is to be decided by it.
func (n *Nodes) Latest(tailnet string) (l List, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l, ok = n.latest[tailnet]
	return l, ok
}

// forget drops what is known of a Tailnet.
func (n *Nodes) forget(tailnet string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.latest, tailnet)
	delete(n.polled, tailnet)
}

// flight is one request and those who wait for it.
type flight struct {
	client  *headscale.Client
	waiting int
	cancel  context.CancelFunc // when nobody waits any more
	landed  chan token         // closed when list is there
	list    List
}

// ask joins the next request of the Tailnet and waits for its answer.
func (n *Nodes) ask(ctx context.Context, tailnet string, c *headscale.Client) List {
	f := n.join(tailnet, c)
	defer n.leave(tailnet, f)
	select {
	case <-f.landed:
		return f.list
	case <-ctx.Done():
		return listOf(time.Time{}, c, nil, &headscale.Error{Op: headscale.ListNodes, Class: headscale.Timeout})
	}
}

func (n *Nodes) join(tailnet string, c *headscale.Client) *flight {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f := n.gathering[tailnet]; f != nil && f.client == c {
		f.waiting++
		return f
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &flight{client: c, waiting: 1, cancel: cancel, landed: make(chan token)}
	n.gathering[tailnet] = f // one for another client goes on with those that it has
	if n.lanes[tailnet] == nil {
		n.lanes[tailnet] = make(chan token, 1)
	}
	go n.fly(ctx, tailnet, f, n.lanes[tailnet])
	return f
}

func (n *Nodes) leave(tailnet string, f *flight) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		n.close(tailnet, f)
		f.cancel()
	}
}

// close lets nobody join a flight any more. n.mu is held.
func (n *Nodes) close(tailnet string, f *flight) {
	if n.gathering[tailnet] == f {
		delete(n.gathering, tailnet)
	}
}

// fly sends the request, after the one before it has been answered.
func (n *Nodes) fly(ctx context.Context, tailnet string, f *flight, lane chan token) {
	defer close(f.landed)
	gathered := time.NewTimer(n.gather)
	defer gathered.Stop()
	select {
	case <-gathered.C:
	case <-ctx.Done():
		return
	}
	select {
	case lane <- token{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-lane }()

	n.mu.Lock()
	n.close(tailnet, f)
	n.mu.Unlock()
	asked := time.Now()
	nodes, err := f.client.Nodes(ctx)
	f.list = listOf(asked, f.client, nodes, err)

	n.mu.Lock()
	defer n.mu.Unlock()
	n.latest[tailnet] = f.list
}

// listOf is the answer as facts.
func listOf(asked time.Time, c *headscale.Client, nodes []node.Node, err error) List {
	l := List{Asked: asked, Client: observe.Known(c)}
	switch class := headscale.ClassOf(err); class {
	case headscale.OK:
		l.Nodes, l.APIKey, l.index = observe.Known(nodes), observe.Known(observe.Accepted{}), indexOf(nodes)
	case headscale.Unauthorized:
		l.Nodes, l.APIKey = observe.Unknown[[]node.Node](observe.Denied), observe.Absent[observe.Accepted]()
	default:
		l.Nodes, l.APIKey = observe.Unknown[[]node.Node](factClass(class)), observe.Unknown[observe.Accepted](factClass(class))
	}
	return l
}

// factClass is why nothing is known, in the words of package observe.
func factClass(c headscale.Class) observe.Class {
	switch c {
	case headscale.Unreachable, headscale.TLS, headscale.Timeout:
		return observe.Unreachable
	case headscale.Unauthorized:
		return observe.Denied
	default:
		return observe.Unreadable
	}
}
