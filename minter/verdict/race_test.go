package verdict_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verdict"
)

// race is two minters on one gateway. Each reads and decides, and carries out what
// it decided whenever it comes to it: between the two anything may have happened.
type race struct {
	c       *cluster
	minters [2]minter
	waited  int // how often time has passed
}

type minter struct {
	attempt observe.Attempt
	due     *verdict.Step
}

func (r race) clone() race {
	c := *r.c
	c.keys = slices.Clone(c.keys)
	for i, k := range c.keys {
		copied := *k
		c.keys[i] = &copied
	}
	c.nodes = slices.Clone(c.nodes)
	for i, o := range c.nine {
		if o != nil {
			copied := *o
			c.nine[i] = &copied
		}
	}
	if c.state != nil {
		copied := *c.state
		c.state = &copied
	}
	if c.pod != nil {
		copied := *c.pod
		c.pod = &copied
	}
	r.c = &c
	return r
}

// moves are all states that one move leads to. A write may lose its answer; the
// rest of the world moves when it likes, and time passes twice.
func (r race) moves() []race {
	var next []race
	for i, m := range r.minters {
		if m.due == nil {
			s := r.clone()
			if v := verdict.Decide(s.c.read(m.attempt)); v.Step.Do != verdict.None {
				s.minters[i].due = &v.Step
				next = append(next, s)
			}
			continue
		}
		for _, what := range []fault{fine, lostAfter} {
			s := r.clone()
			p := &process{c: s.c, attempt: m.attempt}
			p.carryOut(*m.due, what)
			s.minters[i] = minter{attempt: p.attempt}
			next = append(next, s)
		}
	}
	if s := r.clone(); s.c.tick() {
		for s.c.tick() {
		}
		next = append(next, s)
	}
	if r.waited < 2 {
		s := r.clone()
		s.waited++
		s.c.now = s.c.now.Add([]time.Duration{time.Minute, mintLifetime}[r.waited])
		next = append(next, s)
	}
	return next
}

const mintLifetime = 24 * time.Hour

// key is the same for states that differ in nothing but the numbers given out,
// and in which of the two minters is which.
func (r race) key() string {
	c := r.c.text()
	a, b := r.minters[0].text(r.c), r.minters[1].text(r.c)
	return min(numbered(c+"|"+a+"|"+b), numbered(c+"|"+b+"|"+a)) + fmt.Sprint(r.waited)
}

// text says everything about the cluster that a decision or a write can see.
func (c *cluster) text() string {
	var b strings.Builder
	fmt.Fprint(&b, c.now.Sub(start), len(c.nodes))
	if c.registry != nil {
		fmt.Fprint(&b, c.registry.Data)
	}
	if c.state != nil {
		fmt.Fprint(&b, c.state.UID, c.state.Content, c.state.Created.Sub(start))
	}
	if c.auth != nil {
		fmt.Fprint(&b, c.auth.Object.UID, c.auth.ID)
	}
	if c.authReceipt != nil {
		fmt.Fprint(&b, c.authReceipt.UID, c.authReceipt.Receipt.Secret.UID)
	}
	if c.fresh != nil {
		fmt.Fprint(&b, c.fresh.UID, c.fresh.Receipt.State.UID, c.fresh.Receipt.Auth.UID, c.fresh.Receipt.Objects[0].UID)
	}
	for _, o := range c.nine {
		if o != nil {
			fmt.Fprint(&b, o.uid, o.labels, o.created.Sub(start))
		}
	}
	if c.pod != nil {
		fmt.Fprint(&b, c.pod.UID, c.pod.Owner, c.pod.Deleting, c.pod.Preflight, c.pod.Tailscale, c.pod.Ready)
	}
	for _, k := range c.keys {
		fmt.Fprint(&b, k.id, k.expires.Sub(start))
	}
	return b.String()
}

func (m minter) text(c *cluster) string {
	var b strings.Builder
	fmt.Fprint(&b, m.attempt.StateUID, m.attempt.Spent)
	if a := m.attempt.Minting; a != nil {
		fmt.Fprint(&b, a.StateUID, a.Expires.Sub(start), a.Asked, a.Minted != nil, a.Auth != nil)
	}
	if s := m.due; s != nil {
		fmt.Fprint(&b, s.Do, s.Object, s.UID, len(s.Data), s.Request.Expiration.Sub(start), s.Annotations)
		fmt.Fprint(&b, c.registry == nil || s.Revision == c.registry.Revision, c.state != nil && s.Revision == c.state.Revision)
		if s.Object.Kind == "ConfigMap" && s.Object.Name == "tsunaro-bindings" {
			fmt.Fprint(&b, s.Data)
		}
	}
	return b.String()
}

// numbered replaces the UIDs by numbers in the order in which they appear.
func numbered(text string) string {
	const prefix, length = "00000000-0000-4000-8000-", len("000000000000")
	var b strings.Builder
	names := map[string]int{}
	for {
		before, after, found := strings.Cut(text, prefix)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		digits := after[:length]
		n, known := names[digits]
		if !known {
			n = len(names)
			names[digits] = n
		}
		b.WriteByte('<')
		b.WriteString(strconv.Itoa(n))
		text = after[length:]
	}
}

// resting reports whether nothing moves but time.
func (r race) resting() bool {
	return r.minters[0].due == nil && r.minters[1].due == nil && !slices.ContainsFunc(r.minters[:], func(m minter) bool {
		return verdict.Decide(r.c.read(m.attempt)).Step.Do != verdict.None
	}) && !r.clone().c.tick()
}

// check holds in every state: one usable key and one node at most, and the node
// has registered with the key that the receipts name.
func (r race) check(t *testing.T) {
	t.Helper()
	c := r.c
	switch {
	case c.usable() > 1:
		t.Fatalf("%d usable keys: %s", c.usable(), r.key())
	case len(c.nodes) > 1:
		t.Fatalf("%d nodes: %s", len(c.nodes), r.key())
	case c.phase() == registry.Complete && c.fresh == nil:
		t.Fatalf("complete without a receipt: %s", r.key())
	}
	if f := c.fresh; f != nil && len(c.nodes) == 1 && f.Receipt.KeyID != c.nodes[0].KeyID {
		t.Fatalf("the receipt names key %s, the node has %s", f.Receipt.KeyID, c.nodes[0].KeyID)
	}
}

// TestTwoMinters goes through every interleaving of two minters, their lost
// answers, everybody else's moves and the passing of time.
//
// REQ: LC-12, LC-10, LC-22, MT-04 (B45)
func TestTwoMinters(t *testing.T) {
	todo := []race{{c: newCluster(t)}}
	seen := map[string]bool{todo[0].key(): true}
	rest := map[string]int{}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		r.check(t)
		if r.waited == 2 && r.resting() {
			rest[outcome(verdict.Decide(r.c.read(observe.Attempt{})))]++
		}
		for _, next := range r.moves() {
			if k := next.key(); !seen[k] {
				seen[k] = true
				todo = append(todo, next)
			}
		}
	}
	// What is left over where an answer was lost, or where one minter undid what the
	// other had just decided to go on with, is named; most of it waits for the key's
	// expiry. Everything else is ready.
	for _, end := range []string{
		"FreshRuntimeReady", "Restarting", "FreshBlocked Secret/tsunaro-system/lab-gw-auth",
		"FreshBlocked Secret/tsunaro-system/lab-gw-state", "FreshBlocked ServiceAccount/tsunaro-system/lab-gw",
		"FreshBlocked ConfigMap/tsunaro-system/lab-gw-auth-receipt",
	} {
		delete(rest, end)
	}
	if len(rest) > 0 || len(seen) < 10000 {
		t.Errorf("%d states, and these ends: %v", len(seen), rest)
	}
}
