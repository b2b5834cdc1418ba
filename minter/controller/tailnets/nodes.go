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
	silence time.Duration // after which a Headscale that has not answered counts as silent

	gateways chan event.GenericEvent
	tailnets chan event.GenericEvent

	mu        sync.Mutex
	gathering map[string]*flight   // by Tailnet: not sent yet
	lanes     map[string]*lane     // by Tailnet
	latest    map[string]List      // by Tailnet
	polled    map[string]answer    // by Tailnet: to the last poll
	follows   map[string]following // by gateway
}

type token struct{}

// NewNodes makes a Nodes that polls every so often once it is started.
func NewNodes(clients *Clients, every time.Duration) *Nodes {
	const gather, silence = 20 * time.Millisecond, 5 * time.Second
	return &Nodes{
		clients: clients, every: every, gather: gather, silence: silence,
		gateways:  make(chan event.GenericEvent),
		tailnets:  make(chan event.GenericEvent),
		gathering: map[string]*flight{}, lanes: map[string]*lane{},
		latest: map[string]List{}, polled: map[string]answer{}, follows: map[string]following{},
	}
}

// List asks Headscale. The request is sent after the call and never before it:
// what woke the caller is in the answer. Calls that come before it is sent share
// it.
//
// A silent Headscale is not waited for, or the gateways of one would take the turns of
// all others (UP-09). It is polled, and whoever follows is woken when it answers again.
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
	return n.askOneThatAnswers(ctx, t.Name, c)
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

// lane is where the requests of a Tailnet follow each other. n.mu guards what is in
// it.
type lane struct {
	turn   chan token // holds the token of the one request
	sent   *flight    // that is under way
	silent chan token // closed while Headscale counts as silent
	hushed bool       // it is closed
}

// hush lets nobody wait any more. n.mu is held.
func (l *lane) hush() {
	if !l.hushed {
		l.hushed = true
		close(l.silent)
	}
}

// ask joins the next request of the Tailnet and waits for its answer.
func (n *Nodes) ask(ctx context.Context, tailnet string, c *headscale.Client) List {
	return n.wait(ctx, tailnet, c, nil)
}

// askOneThatAnswers does the same as long as Headscale is not silent.
func (n *Nodes) askOneThatAnswers(ctx context.Context, tailnet string, c *headscale.Client) List {
	n.mu.Lock()
	silent := n.lane(tailnet).silent
	n.mu.Unlock()
	return n.wait(ctx, tailnet, c, silent)
}

func (n *Nodes) wait(ctx context.Context, tailnet string, c *headscale.Client, silent <-chan token) List {
	began := time.Now()
	f := n.join(tailnet, c)
	defer n.leave(tailnet, f)
	unanswered := &headscale.Error{Op: headscale.ListNodes, Class: headscale.Timeout}
	select {
	case <-f.landed:
		return f.list
	case <-silent:
		return listOf(began, c, nil, unanswered)
	case <-ctx.Done():
		return listOf(time.Time{}, c, nil, unanswered)
	}
}

// lane is a Tailnet's. n.mu is held.
func (n *Nodes) lane(tailnet string) *lane {
	l := n.lanes[tailnet]
	if l == nil {
		l = &lane{turn: make(chan token, 1), silent: make(chan token)}
		n.lanes[tailnet] = l
	}
	return l
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
	go n.fly(ctx, tailnet, f, n.lane(tailnet))
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
func (n *Nodes) fly(ctx context.Context, tailnet string, f *flight, l *lane) {
	defer close(f.landed)
	gathered := time.NewTimer(n.gather)
	defer gathered.Stop()
	select {
	case <-gathered.C:
	case <-ctx.Done():
		return
	}
	select {
	case l.turn <- token{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-l.turn }()

	n.mu.Lock()
	n.close(tailnet, f)
	l.sent = f
	n.mu.Unlock()
	silence := time.AfterFunc(n.silence, func() { n.unanswered(l, f) })
	defer silence.Stop()
	asked := time.Now()
	nodes, err := f.client.Nodes(ctx)
	f.list = listOf(asked, f.client, nodes, err)

	n.mu.Lock()
	defer n.mu.Unlock()
	n.latest[tailnet], l.sent = f.list, nil
	switch timeout := headscale.ClassOf(err) == headscale.Timeout; {
	case timeout && ctx.Err() == nil: // and not given up by those who waited
		l.hush()
	case !timeout && l.hushed:
		l.hushed, l.silent = false, make(chan token)
	}
}

// unanswered makes a Headscale silent that has not answered a request so long.
func (n *Nodes) unanswered(l *lane, f *flight) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l.sent == f {
		l.hush()
	}
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
