package tailnets

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/event"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

const listPath = "/api/v1/node"

// bed is a Headscale and a Nodes that asks it, without an API server.
type bed struct {
	*testing.T
	*Nodes
	server *headscaledouble.Server
	client *headscale.Client
}

func newBed(t *testing.T) *bed {
	t.Helper()
	s := headscaledouble.Start(headscaledouble.Options{})
	t.Cleanup(s.Close)
	clients := NewClients(nil, headscale.Options{Tries: 1}, nil)
	c, err := clients.client("home", target{url: s.URL, ca: string(s.CA())}, sealed.New(s.CreateAPIKey(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &bed{t, NewNodes(clients, time.Hour), s, c}
}

// gate holds requests up until they are let through.
type gate struct{ arrived, pass chan token }

// hold lets the next request arrive and then wait, for the server's own answer.
func (b *bed) hold() gate {
	g := gate{make(chan token), make(chan token)}
	b.server.Fail(headscaledouble.Fault{Method: http.MethodGet, Path: listPath, Times: 1, Answer: func(w http.ResponseWriter, _ *http.Request) {
		g.arrived <- token{}
		<-g.pass
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"nodes":[]}`))
	}})
	return g
}

// asked asks in the background.
func (b *bed) asked() <-chan List {
	answer := make(chan List, 1)
	joined := b.waiting() + 1
	go func() { answer <- b.ask(b.Context(), "home", b.client) }()
	b.await("the caller waits", func() bool { return b.waiting() >= joined })
	return answer
}

// waiting is how many wait for a request that is not sent.
func (b *bed) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.gathering["home"]; f != nil {
		return f.waiting
	}
	return 0
}

func (b *bed) await(what string, holds func() bool) {
	b.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			b.Fatalf("waited in vain until %s", what)
		}
	}
}

// All that ask before the request is sent share it.
//
// REQ: LC-06
func TestOneListForAll(t *testing.T) {
	b := newBed(t)
	b.gather = 100 * time.Millisecond
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if l := b.ask(t.Context(), "home", b.client); !l.Nodes.Known() || !l.APIKey.Known() || l.Asked.IsZero() {
				t.Errorf("%+v", l)
			}
		})
	}
	all.Wait()
	if n := b.server.Count(http.MethodGet, listPath); n > 2 {
		t.Errorf("%d requests", n)
	}
}

// Who asks while a request is under way gets the answer to a later one, and
// however many they are, it is one.
func TestNeverStale(t *testing.T) {
	b := newBed(t)
	b.gather = 0
	g := b.hold()
	first := make(chan List, 1)
	go func() { first <- b.ask(t.Context(), "home", b.client) }()
	<-g.arrived
	b.server.AddNode(node.Node{Name: "gw"}) // what wakes the next ones
	woken := time.Now()
	late := []<-chan List{b.asked(), b.asked(), b.asked()}
	g.pass <- token{}
	if nodes, _ := (<-first).Nodes.Get(); len(nodes) != 0 {
		t.Errorf("%v", nodes)
	}
	for _, answer := range late {
		l := <-answer
		if nodes, _ := l.Nodes.Get(); len(nodes) != 1 || l.Asked.Before(woken) {
			t.Errorf("%v asked at %s, woken at %s", nodes, l.Asked, woken)
		}
	}
	if n := b.server.Count(http.MethodGet, listPath); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// Nobody is made to wait for a Headscale that is silent, and whoever did waits no
// longer. Once it has answered it is waited for again.
//
// REQ: UP-09, LC-06
func TestSilent(t *testing.T) {
	b := newBed(t)
	b.gather, b.silence = 0, time.Second
	g := b.hold()
	polled := make(chan List, 1)
	go func() { polled <- b.ask(t.Context(), "home", b.client) }()
	<-g.arrived
	for range 3 {
		began := time.Now()
		l := b.askOneThatAnswers(t.Context(), "home", b.client)
		if !l.Nodes.Unknown() || l.Nodes.Class() != observe.Unreachable || !l.APIKey.Unknown() || !l.Client.Known() || l.Asked.Before(began) {
			t.Errorf("%+v", l)
		}
	}
	g.pass <- token{}
	if l := <-polled; !l.Nodes.Known() {
		t.Errorf("%+v", l)
	}
	b.server.AddNode(node.Node{Name: "gw"})
	l := b.askOneThatAnswers(t.Context(), "home", b.client)
	if nodes, _ := l.Nodes.Get(); len(nodes) != 1 {
		t.Errorf("%+v", l)
	}
}

// A client that has been replaced is not asked for those who have the new one.
func TestNewClient(t *testing.T) {
	b := newBed(t)
	g := b.hold()
	go b.ask(t.Context(), "home", b.client)
	<-g.arrived
	old := b.asked()
	wrong, err := b.clients.client("home", target{url: b.server.URL, ca: string(b.server.CA())}, sealed.New("wrong"))
	if err != nil {
		t.Fatal(err)
	}
	now := make(chan List, 1)
	go func() { now <- b.ask(t.Context(), "home", wrong) }()
	g.pass <- token{}
	if l := <-now; !l.APIKey.Absent() || l.Nodes.Class() != observe.Denied {
		t.Errorf("%+v", l)
	}
	if l := <-old; !l.Nodes.Known() {
		t.Errorf("%+v", l)
	}
}

// When nobody waits any more, the request is given up; who comes next has one of
// his own.
func TestGivenUp(t *testing.T) {
	b := newBed(t)
	b.gather = 0
	gone := make(chan token)
	arrived := make(chan token)
	b.server.Fail(headscaledouble.Fault{Times: 1, Answer: func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(gone)
	}})
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan List, 1)
	go func() { answer <- b.ask(ctx, "home", b.client) }()
	<-arrived
	cancel()
	<-gone
	if l := <-answer; l.Nodes.Known() || l.APIKey.Known() || !l.Asked.IsZero() {
		t.Errorf("%+v", l)
	}
	if l := b.ask(t.Context(), "home", b.client); !l.Nodes.Known() {
		t.Errorf("%+v", l)
	}
	if l, ok := b.Latest("home"); !ok || !l.Nodes.Known() {
		t.Errorf("%+v %t", l, ok)
	}
}

// What Headscale, or whatever answers, comes to.
//
// REQ: LC-06
func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		key    string // known, absent, unknown
		class  observe.Class
	}{
		"proxy":    {headscaledouble.BadGateway, "unknown", observe.Unreadable},
		"login":    {headscaledouble.LoginPage, "unknown", observe.Unreadable},
		"no route": {headscaledouble.NoRoute, "unknown", observe.Unreadable},
		"dropped":  {headscaledouble.Drop, "unknown", observe.Unreachable},
		"refused":  {headscaledouble.Status(401, "text/plain; charset=utf-8", "Unauthorized"), "absent", observe.Denied},
	} {
		b := newBed(t)
		b.server.Fail(headscaledouble.Fault{Answer: c.answer})
		l := b.ask(t.Context(), "home", b.client)
		if l.APIKey.Absent() != (c.key == "absent") || l.APIKey.Unknown() != (c.key == "unknown") || l.Nodes.Class() != c.class {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// events are those that a poll sends.
func (b *bed) events() (gateways, tailnets []string) {
	b.Helper()
	done := make(chan token)
	go func() {
		defer close(done)
		b.poll(b.Context(), "home")
	}()
	name := func(e event.GenericEvent) string { return e.Object.GetName() }
	for {
		select {
		case e := <-b.Changed():
			gateways = append(gateways, name(e))
		case e := <-b.tailnets:
			tailnets = append(tailnets, name(e))
		case <-done:
			return gateways, tailnets
		}
	}
}

// A gateway is woken by what interests it, once, and by nothing else: each answer of
// the server says that every node was seen just now.
func TestFollow(t *testing.T) {
	b := newBed(t)
	id := b.server.AddNode(node.Node{Name: "gw", Online: true})
	b.server.AddNode(node.Node{Name: "other"})
	b.Follow("by-name", "home", Interest{Hostname: "gw"}, b.ask(t.Context(), "home", b.client))
	b.Follow("nobody", "home", Interest{}, b.ask(t.Context(), "home", b.client))
	b.Follow("elsewhere", "work", Interest{Hostname: "gw"}, b.ask(t.Context(), "home", b.client))
	b.Follow("later", "home", Interest{Hostname: "gw"}, List{})
	expect := func(what string, gateways ...string) {
		t.Helper()
		got, _ := b.events()
		if len(got) != len(gateways) {
			t.Errorf("%s: %v, want %v", what, got, gateways)
			return
		}
		for i := range got {
			if got[i] != gateways[i] {
				t.Errorf("%s: %v, want %v", what, got, gateways)
			}
		}
	}
	expect("nothing new")
	b.server.AddNode(node.Node{Name: "third"})
	expect("another node")
	b.server.ChangeNode(id, func(n *node.Node) { n.Online = false })
	expect("offline", "by-name", "later")
	expect("still offline")
	b.server.AddNode(node.Node{Name: "x", GivenName: "gw"})
	b.Unfollow("later")
	expect("a twin", "by-name")

	b.server.ChangeNode(id, func(n *node.Node) { n.Name, n.GivenName = "renamed", "renamed" })
	expect("another name", "by-name")
	expect("still another name")

	// A list that is older than what was seen says nothing.
	before := b.ask(t.Context(), "home", b.client)
	b.server.ChangeNode(id, func(n *node.Node) { n.Name, n.Online = "gw", true })
	b.Follow("by-name", "home", Interest{Hostname: "gw"}, b.ask(t.Context(), "home", b.client))
	if names := b.concerned("home", before); len(names) != 0 {
		t.Errorf("woken by an old list: %v", names)
	}
}

// A node interests by either name, either public key and the key that it registered
// with, and by several of them once.
func TestInterest(t *testing.T) {
	nodes := []node.Node{
		{ID: "9", Name: "gw", GivenName: "gw-x1", MachineKey: "mkey:a", NodeKey: "nodekey:a", KeyID: "1"},
		{ID: "2", Name: "x", GivenName: "gw", MachineKey: "mkey:b", NodeKey: "nodekey:b", KeyID: "2"},
		{ID: "3", Name: "1", GivenName: "1", MachineKey: "mkey:c", NodeKey: "nodekey:c"},
	}
	for _, c := range []struct {
		i    Interest
		want string
	}{
		{Interest{}, ""},
		{Interest{Hostname: "gw"}, "2 9"},
		{Interest{Hostname: "gw-x1"}, "9"},
		{Interest{MachineKey: "mkey:b"}, "2"},
		{Interest{NodeKey: "nodekey:c"}, "3"},
		{Interest{KeyID: "1"}, "9"},
		{Interest{KeyID: "9"}, ""},
		{Interest{"gw", "mkey:b", "nodekey:b", "2"}, "2 9"},
		{Interest{"gw", "mkey:c", "nodekey:a", "2"}, "2 3 9"},
	} {
		var ids []string
		for _, n := range c.i.among(indexOf(nodes)) {
			ids = append(ids, string(n.ID))
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%+v: nodes %q, want %q", c.i, got, c.want)
		}
	}
}

// A key that Headscale refuses wakes the Tailnet and every gateway of it, once.
func TestTurned(t *testing.T) {
	b := newBed(t)
	if gateways, tailnets := b.events(); len(gateways) != 0 || len(tailnets) != 1 {
		t.Errorf("first answer: %v %v", gateways, tailnets)
	}
	b.Follow("gw", "home", Interest{Hostname: "gw"}, b.ask(t.Context(), "home", b.client))
	if gateways, tailnets := b.events(); len(gateways)+len(tailnets) != 0 {
		t.Errorf("nothing new: %v %v", gateways, tailnets)
	}
	for name, answer := range map[string]http.HandlerFunc{
		"refused": headscaledouble.Status(401, "text/plain; charset=utf-8", "Unauthorized"), "no answer": headscaledouble.Drop,
	} {
		b.server.Fail(headscaledouble.Fault{Answer: answer})
		for i, want := range []int{1, 0} {
			if gateways, tailnets := b.events(); len(gateways) != want || len(tailnets) != want {
				t.Errorf("%s, poll %d: %v %v", name, i, gateways, tailnets)
			}
		}
		b.server.Heal()
		if gateways, tailnets := b.events(); len(gateways) != 1 || len(tailnets) != 1 {
			t.Errorf("after %s: %v %v", name, gateways, tailnets)
		}
	}
	b.forget("home")
	b.clients.forget("home")
	for i, want := range []int{1, 0} {
		if gateways, tailnets := b.events(); len(gateways) != want || len(tailnets) != 0 {
			t.Errorf("without a client, poll %d: %v %v", i, gateways, tailnets)
		}
	}
}

// It polls while somebody follows, and only then, and it stops.
func TestStart(t *testing.T) {
	b := newBed(t)
	b.every, b.gather = time.Millisecond, 0
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- b.Start(ctx) }()
	b.Follow("gw", "home", Interest{}, List{})
	<-b.tailnets // the first answer
	b.await("three polls", func() bool { return b.server.Count(http.MethodGet, listPath) >= 3 })
	b.Unfollow("gw")
	b.await("nobody polls", func() bool { return len(b.followed()) == 0 && b.waiting() == 0 })
	cancel()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// BenchmarkPoll is what a poll costs beside its request, with a thousand gateways and
// their nodes.
func BenchmarkPoll(b *testing.B) {
	n := NewNodes(nil, time.Hour)
	var nodes []node.Node
	for i := range 1000 {
		name := fmt.Sprintf("gw-%d", i)
		nodes = append(nodes, node.Node{ID: node.ID(fmt.Sprint(i + 1)), Name: name, GivenName: name, MachineKey: "mkey:" + name, NodeKey: "nodekey:" + name})
	}
	at := time.Unix(1000, 0)
	list := func() List {
		at = at.Add(time.Second)
		return listOf(at, nil, nodes, nil)
	}
	seen := list()
	for _, own := range nodes {
		n.Follow(own.Name, "home", Interest{own.Name, own.MachineKey, own.NodeKey, ""}, seen)
	}
	for b.Loop() {
		if woken := n.concerned("home", list()); len(woken) > 0 {
			b.Fatal(woken)
		}
	}
}
